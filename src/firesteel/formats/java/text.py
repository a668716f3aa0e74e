"""Encodes texts as Java does where UTF-8 cannot: half of a surrogate pair.

JSON can spell one (`"\\ud800"`), and Java and Python can hold one, but UTF-8 cannot encode it. Java's `String.getBytes`
writes a question mark instead, and so does Flink, in rows and in error messages.

>>> to_utf8_text("20\\ud800")
'20?'
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_utf8_text(text: str) -> str:
    """Replaces each half of a surrogate pair by a question mark."""
    if text.isascii():
        return text
    return _SURROGATE.sub("?", text)
