"""How much a JSON message may hold. Flink's JSON library has such limits too; without them one message can stall a job."""

from __future__ import annotations

import re

#: Deeper messages are refused. Jackson allows 1000; the interpreter's own stack allows less inside a Spark worker.
MAX_DEPTH = 500
#: Jackson's limits: characters of a number, of a string.
MAX_NUMBER = 1000
MAX_STRING = 20_000_000

_NESTING = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
#: Everything a number is made of becomes a zero, everything else a blank.
_DIGITS = bytes(0x30 if char in b"0123456789.eE+-" else 0x20 for char in range(256))
_LONG_NUMBER = b"0" * (MAX_NUMBER + 1)


class TooLarge(ValueError):
    pass


def has_long_number(message: bytes) -> bool:
    """Whether there may be a number that is too long: it may also be part of a string."""
    return _LONG_NUMBER in message.translate(_DIGITS)


def check_depth(text: str) -> None:
    """Raises TooLarge for a message nested too deep; what follows its first value is not looked at."""
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
    """Raises TooLarge for a string in the value that is too long."""
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
