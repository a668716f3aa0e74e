"""Splits a JSON message into the flat list of tokens that a streaming parser would give.

Flink reads JSON from a stream of tokens, and some of its rules only make sense for a stream: if a value has the wrong
form, the stream is left in the middle of the value, and reading goes on from there.

>>> [token.kind.name for token in read_tokens(b'{"a":[1]} rest')[0]]
['START_OBJECT', 'NAME', 'START_ARRAY', 'INTEGER', 'END_ARRAY', 'END_OBJECT']
"""

from __future__ import annotations

import re
from enum import Enum, auto
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

from firesteel.formats.json.limit import MAX_DEPTH, MAX_STRING, TooLarge, check_depth, check_number, check_strings


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
    """A token. `text` is what Jackson's `getText` gives: the value of a string, the source text of a number, a bracket."""

    kind: Kind
    text: str


class MalformedJson(ValueError):
    pass


class Integer(str):
    """The source text of a whole number."""

    __slots__ = ()


class Floating(str):
    """The source text of a number with a point or an exponent."""

    __slots__ = ()


class _Object(list[tuple[str, object]]):
    """The members in order, so that repeated names are kept."""

    __slots__ = ()


def _integer(text: str) -> Integer:
    check_number(text)
    return Integer(text)


def _floating(text: str) -> Floating:
    check_number(text)
    return Floating(text)


def _refuse_constant(name: str) -> object:
    raise JSONDecodeError(f"'{name}' is not JSON", name, 0)


# `strict=False`: Flink accepts control characters in strings.
_DECODER = JSONDecoder(
    object_pairs_hook=_Object, parse_float=_floating, parse_int=_integer, parse_constant=_refuse_constant, strict=False
)
# In a tree, the last value of a repeated name counts.
_TREE_DECODER = JSONDecoder(
    object_pairs_hook=dict, parse_float=_floating, parse_int=_integer, parse_constant=_refuse_constant, strict=False
)
_STRICT_DECODER = JSONDecoder(
    object_pairs_hook=_Object, parse_float=_floating, parse_int=_integer, parse_constant=_refuse_constant
)
_BLANK = re.compile(r"[ \t\n\r]*")

_START_OBJECT, _END_OBJECT = Token(Kind.START_OBJECT, "{"), Token(Kind.END_OBJECT, "}")
_START_ARRAY, _END_ARRAY = Token(Kind.START_ARRAY, "["), Token(Kind.END_ARRAY, "]")
_TRUE, _FALSE, _NULL = Token(Kind.TRUE, "true"), Token(Kind.FALSE, "false"), Token(Kind.NULL, "null")


def read_tokens(message: bytes) -> list[list[Token]]:
    """Reads the tokens of each row of the message: one list for an object, one per element for an array.

    What follows the first value is not read.
    """
    value = _read(message, _DECODER)
    if type(value) is _Object:
        return [_flatten(value)]
    if type(value) is list:
        return [_flatten(element) for element in value]
    raise MalformedJson("the message is neither a JSON object nor an array of objects")


def read_whole_elements(message: bytes) -> list[list[Token]]:
    """Reads the complete elements of an array that breaks off."""
    text = message.decode("utf-8", "replace").removeprefix("\ufeff")
    match = _BLANK.match(text)
    assert match is not None
    found: list[list[Token]] = []
    at = match.end()
    while text[at : at + 1] == ("," if found else "["):
        start = _BLANK.match(text, at + 1)
        assert start is not None
        try:
            value, at = _DECODER.raw_decode(text, start.end())
        except (JSONDecodeError, RecursionError, TooLarge):
            break
        found.append(_flatten(value))
        behind = _BLANK.match(text, at)
        assert behind is not None
        at = behind.end()
    return found


def read_strict_tokens(message: bytes) -> list[Token]:
    """Reads the tokens of the message's first value. Control characters in strings are refused."""
    return _flatten(_read(message, _STRICT_DECODER))


def read_members(message: bytes) -> list[tuple[str, object]]:
    """Reads the members of the message's object in order, repeated names included.

    What follows the object is not read. Raises MalformedJson and TooLarge.
    """
    value = _read(message, _DECODER)
    if type(value) is not _Object:
        raise MalformedJson("the message is not a JSON object")
    return value


def read_tree(message: bytes) -> object:
    """Reads the message as dicts, lists, texts, `Integer`, `Floating`, booleans and None.

    What follows the first value is not read. Raises MalformedJson and TooLarge.
    """
    return _read(message, _TREE_DECODER)


def _read(message: bytes, decoder: JSONDecoder) -> object:
    problem = None
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError as error:
        # Invalid bytes after the first value are ignored, inside of it they are errors.
        text = message[: error.start].decode("utf-8")
        problem = f"byte {error.start} is not UTF-8"
    start = 1 if text.startswith("\ufeff") else 0
    match = _BLANK.match(text, start)
    assert match is not None
    if match.end() == len(text):
        raise MalformedJson(problem or "the message is blank")
    if text.count("{") + text.count("[") > MAX_DEPTH:
        check_depth(text)
    try:
        value: object = decoder.raw_decode(text, match.end())[0]
    except JSONDecodeError as error:
        raise MalformedJson(problem or f"{error.msg} at character {error.pos}") from None
    except RecursionError:
        raise TooLarge("the message is nested too deep") from None
    if len(text) > MAX_STRING:
        check_strings(value)
    return value


def _flatten(value: object) -> list[Token]:
    tokens: list[Token] = []
    _append(tokens, value)
    return tokens


def _append(tokens: list[Token], value: object) -> None:
    match value:
        case Integer():
            tokens.append(Token(Kind.INTEGER, value))
        case Floating():
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
