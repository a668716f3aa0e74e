"""Limits the size of a JSON message's parts. Flink's JSON library has such limits too; without them one message can
stall a job.
"""

from __future__ import annotations

import re

#: Messages nested deeper are refused. Jackson allows 1000 levels; the Python stack of a Spark worker allows fewer.
MAX_DEPTH = 500
#: Jackson's limits: characters of a number, of a string.
MAX_NUMBER = 1000
MAX_STRING = 20_000_000

_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
#: Replaces the characters of numbers by zeros and all others by blanks.
_DIGITS = bytes(0x30 if char in b"0123456789.eE+-" else 0x20 for char in range(256))
_LONG_NUMBER = b"0" * (MAX_NUMBER + 1)


class TooLarge(ValueError):
    pass


def has_long_number(message: bytes) -> bool:
    """Checks whether the message may have a number that is too long. The digits may also be part of a string."""
    return _LONG_NUMBER in message.translate(_DIGITS)


def check_depth(text: str) -> None:
    """Raises TooLarge if a message is nested too deep. What follows its first value is not checked."""
    depth = 0
    for match in _NESTING.finditer(text):
        char = match[0]
        if char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise TooLarge(f"the message is nested deeper than {MAX_DEPTH} levels")
        elif char in "]}":
            depth -= 1
            if depth <= 0:
                return


def check_number(text: str) -> None:
    if len(text) > MAX_NUMBER:
        raise TooLarge(f"a number has {len(text)} characters, more than {MAX_NUMBER}")


def check_strings(value: object) -> None:
    """Raises TooLarge if a string in the value is too long."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text if len(text) > MAX_STRING:
                raise TooLarge(f"a string has {len(text)} characters, more than {MAX_STRING}")
            case dict() as members:
                waiting += members
                waiting += members.values()
            case list() | tuple() as elements:
                waiting += elements
