"""The options of `'format' = 'raw'`: one column is the whole message."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from enum import Enum

from firesteel.options.kind import EnumKind
from firesteel.options.option import Option


class Endianness(Enum):
    BIG = "big-endian"
    LITTLE = "little-endian"


@dataclass(frozen=True)
class CharsetKind:
    name: str = "Charset"

    def parse(self, text: str) -> str:
        try:
            # Python also knows codecs such as base64 by name, which are not charsets.
            "".encode(text)
            return codecs.lookup(text).name
        except (LookupError, ValueError, UnicodeError):
            raise ValueError("expects the name of a charset, such as 'UTF-8'") from None


CHARSET = Option(
    "charset",
    CharsetKind(),
    "The charset of a text column.",
    "文本列的字符集。",
    default="utf-8",
)
ENDIANNESS = Option(
    "endianness",
    EnumKind(Endianness),
    "The order of the bytes of a number.",
    "数值的字节序。",
    default=Endianness.BIG,
)

ROWS = (CHARSET, ENDIANNESS)
