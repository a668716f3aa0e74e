"""Texts as Java turns them into bytes: the one place that says what becomes of half a surrogate pair.

JSON can spell one (`"\\\\ud800"`), Java and Python can hold one, UTF-8 cannot write one. `String.getBytes` writes a question
mark instead, and so does Flink, in rows as in error messages.

>>> to_utf8_text("20\\ud800")
'20?'
"""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_utf8_text(text: str) -> str:
    """The text with a question mark for each half of a surrogate pair."""
    if text.isascii():
        return text
    return _SURROGATE.sub("?", text)
