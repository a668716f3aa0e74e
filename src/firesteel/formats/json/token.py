"""A JSON message as the flat list of tokens a streaming parser would give.

Flink reads JSON from a stream of tokens, and some of its rules only make sense there: a value of the wrong shape leaves the
stream in the middle of that value, and what follows is read from there.

>>> [token.kind.name for token in read_tokens(b'{"a":[1]} rest')[0]]
['START_OBJECT', 'NAME', 'START_ARRAY', 'INTEGER', 'END_ARRAY', 'END_OBJECT']
"""

from __future__ import annotations

import re
from enum import Enum, auto
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

#: Deeper messages are refused. Jackson allows 1000; the interpreter's own stack allows less inside a Spark worker.
MAX_DEPTH = 500


class Kind(Enum):
    START_OBJECT = auto()
    END_OBJECT = auto()
    START_ARRAY = auto()
    END_ARRAY = auto()
    NAME = auto()
    STRING = auto()
    INTEGER = auto()
    FLOATING = auto()
    TRUE = auto()
    FALSE = auto()
    NULL = auto()


class Token(NamedTuple):
    """`text` is what Jackson's `getText` gives: the value of a string, the source text of a number, a bracket."""

    kind: Kind
    text: str


class MalformedJson(ValueError):
    pass


class TooDeep(ValueError):
    pass


class _Integer(str):
    __slots__ = ()


class _Floating(str):
    __slots__ = ()


class _Object(list[tuple[str, object]]):
    """The members in order, so that a name given twice stays visible."""

    __slots__ = ()


def _refuse_constant(name: str) -> object:
    raise JSONDecodeError(f"'{name}' is not JSON", name, 0)


# `strict=False`: Flink lets control characters into strings.
_DECODER = JSONDecoder(
    object_pairs_hook=_Object, parse_float=_Floating, parse_int=_Integer, parse_constant=_refuse_constant, strict=False
)
_BLANK = re.compile(r"[ \t\n\r]*")
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)

_START_OBJECT, _END_OBJECT = Token(Kind.START_OBJECT, "{"), Token(Kind.END_OBJECT, "}")
_START_ARRAY, _END_ARRAY = Token(Kind.START_ARRAY, "["), Token(Kind.END_ARRAY, "]")
_TRUE, _FALSE, _NULL = Token(Kind.TRUE, "true"), Token(Kind.FALSE, "false"), Token(Kind.NULL, "null")


def read_tokens(message: bytes) -> list[list[Token]]:
    """One token list per row of the message: one for an object, one per element for an array.

    What follows the first value is not looked at.
    """
    value = _read(message)
    if type(value) is _Object:
        return [_flatten(value)]
    if type(value) is list:
        return [_flatten(element) for element in value]
    raise MalformedJson("the message is neither a JSON object nor an array of objects")


def _read(message: bytes) -> object:
    problem = None
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError as error:
        # Bytes after the first value are nobody's business; bytes inside it are.
        text = message[: error.start].decode("utf-8")
        problem = f"byte {error.start} is not UTF-8"
    start = 1 if text.startswith("\ufeff") else 0
    match = _BLANK.match(text, start)
    assert match is not None
    if match.end() == len(text):
        raise MalformedJson(problem or "the message is blank")
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(text)
    try:
        value: object = _DECODER.raw_decode(text, match.end())[0]
    except JSONDecodeError as error:
        raise MalformedJson(problem or f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise TooDeep("the message is nested too deep") from None
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for match in _NESTING.finditer(text):
        char = match[0]
        if char in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep(f"the message is nested deeper than {MAX_DEPTH} levels")
        elif char in "]}":
            depth -= 1
            if depth <= 0:
                return


def _flatten(value: object) -> list[Token]:
    tokens: list[Token] = []
    _append(tokens, value)
    return tokens


def _append(tokens: list[Token], value: object) -> None:
    match value:
        case _Integer():
            tokens.append(Token(Kind.INTEGER, value))
        case _Floating():
            tokens.append(Token(Kind.FLOATING, value))
        case str():
            tokens.append(Token(Kind.STRING, value))
        case None:
            tokens.append(_NULL)
        case True:
            tokens.append(_TRUE)
        case False:
            tokens.append(_FALSE)
        case _Object():
            tokens.append(_START_OBJECT)
            for name, member in value:
                tokens.append(Token(Kind.NAME, name))
                _append(tokens, member)
            tokens.append(_END_OBJECT)
        case list():
            tokens.append(_START_ARRAY)
            for element in value:
                _append(tokens, element)
            tokens.append(_END_ARRAY)
