"""Reads and writes texts as Jackson does, which is Flink's JSON library.

>>> quote("tab\\t \\x1f")
'"tab\\\\t \\\\u001F"'
>>> decode_base64("AQI=")
b'\\x01\\x02'
"""

from __future__ import annotations

import base64
import binascii
import re

from firesteel.formats.java.number import shorten

_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPES = str.maketrans({chr(code): f"\\u{code:04X}" for code in range(0x20)} | _SHORT)

#: The characters that `quote_bytes` escapes, in RE2's dialect too.
SPECIAL_PATTERN = r'["\\\x00-\x1f]|[\x{10000}-\x{10ffff}]'
_BEYOND_FIRST_PLANE = re.compile("[\U00010000-\U0010ffff]")


def quote(text: str) -> str:
    """Makes a JSON string, as Jackson prints it in a tree."""
    return f'"{text.translate(_ESCAPES)}"'


def quote_bytes(text: str) -> str:
    """Makes a JSON string, as Jackson writes it to bytes: a character beyond U+FFFF becomes two escapes."""
    escaped = text.translate(_ESCAPES)
    if not escaped.isascii():
        escaped = _BEYOND_FIRST_PLANE.sub(_surrogates, escaped)
    return f'"{escaped}"'


def _surrogates(match: re.Match[str]) -> str:
    offset = ord(match[0]) - 0x10000
    return f"\\u{0xD800 + (offset >> 10):04X}\\u{0xDC00 + (offset & 0x3FF):04X}"


_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")
_BLANKS = dict.fromkeys(range(0x21))


def decode_base64(text: str) -> bytes:
    """Decodes Base64 with its padding, ignoring blanks between groups. Raises ValueError."""
    if not _BASE64.match(text):
        text = text.translate(_BLANKS)
        if not _BASE64.match(text):
            raise ValueError(f"'{shorten(text)}' is not Base64 text")
    return binascii.a2b_base64(text)


def encode_base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")
