"""Splits a script's text into tokens, each with its position.

>>> tokens, problem = tokenize("SELECT `a b` -- why\\n, 'it''s'")
>>> [(token.kind.name, token.value) for token in tokens]
[('WORD', 'SELECT'), ('NAME', 'a b'), ('SYMBOL', ','), ('STRING', "it's"), ('END', '')]
>>> tokenize("SELECT 'a")[1].span
Span(start=7, end=9)
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from firesteel.errors import Problem, Span


class Kind(Enum):
    WORD = auto()  # a keyword or a name without back-ticks
    NAME = auto()  # a name in back-ticks
    STRING = auto()
    HEX = auto()  # X'1F'
    NUMBER = auto()
    SYMBOL = auto()
    QUOTED = auto()  # in double quotes, which only DLI's reference has, for options
    WRONG = auto()  # no token of Flink SQL
    END = auto()  # after the last token of a statement


class Token(NamedTuple):
    """A token. Grammar rules compare its `key`: a word in capitals, a symbol as it is, empty for other kinds."""

    kind: Kind
    key: str
    value: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


# The quantifiers are possessive: otherwise an unclosed text would be searched again from each of its quotes, and the
# wrong quote reported.
_TOKEN = re.compile(
    r"""
      (?P<SPACE>\s+|(?:--|//)[^\n\r]*+|/\*(?!\+)(?:[^*]++|\*(?!/))*+\*/)
    | (?P<HEX>[xX]'[^']*+')
    | (?P<ESCAPED>[eE]'(?:[^'\\]++|\\.|'')*+')
    | (?P<STRING>(?:[nN]|[uU]&|_[A-Za-z][A-Za-z0-9_]*+)?'[^']*+(?:''[^']*+)*+')
    | (?P<NAME>`[^`]*+(?:``[^`]*+)*+`)
    | (?P<QUOTED>"(?:[^"\\]++|\\.|"")*+")
    | (?P<NUMBER>(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)
    | (?P<WORD>(?:[^\W\d]|\$)[\w$]*+)
    | (?P<OPEN>['`"]|/\*(?!\+))
    | (?P<SYMBOL>/\*\+|<>|!=|<=|>=|=>|\|\||[-+*/%=<>(),.\[\];])
    """,
    re.VERBOSE | re.DOTALL,
)
_RUN = re.compile(r"(.)\1*+", re.DOTALL)
_WORD_PART = re.compile(r"[\w$]+")
_UNICODE_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|(\\))")
_OPENINGS = {"'": ("text", "'"), "`": ("name", "`"), '"': ("text", '"'), "/*": ("comment", "*/")}


def tokenize(text: str) -> tuple[list[Token], Problem | None]:
    """Split the text into tokens and an END; a text, name or comment that is never closed ends the list there, with a problem."""
    tokens: list[Token] = []
    add = tokens.append
    match = _TOKEN.match
    position, size = 0, len(text)
    # A script may start with a byte order mark.
    if text.startswith("\ufeff"):
        position = 1
    in_hint = False
    while position < size:
        found = match(text, position)
        if found is None:
            run = _RUN.match(text, position)
            end = run.end() if run is not None else position + 1
            add(Token(Kind.WRONG, "", text[position], position, end))
            position = end
            continue
        end = found.end()
        group = found.lastgroup
        value = found.group()
        if group == "SPACE":
            pass
        elif group == "WORD":
            add(Token(Kind.WORD, value.upper(), value, position, end))
        elif group == "SYMBOL":
            if value == "/*+":
                in_hint = True
            elif in_hint and value == "*" and text.startswith("/", end):
                in_hint = False
                value, end = "*/", end + 1
            add(Token(Kind.SYMBOL, value, value, position, end))
        elif group == "NUMBER":
            tail = _WORD_PART.match(text, end)
            kind = Kind.NUMBER if tail is None else Kind.WRONG
            end = end if tail is None else tail.end()
            add(Token(kind, "", text[position:end], position, end))
        elif group == "OPEN":
            add(Token(Kind.END, "", "", position, position))
            return tokens, _unclosed(text, position, value)
        else:
            assert group is not None
            kind, inner = _unquoted(group, value)
            add(Token(kind, "", inner, position, end))
        position = end
    add(Token(Kind.END, "", "", size, size))
    return tokens, None


def _unclosed(text: str, position: int, opening: str) -> Problem:
    what, closing = _OPENINGS[opening]
    end_of_line = text.find("\n", position)
    return Problem(
        f"'{opening}' opens a {what} that has no end."
        if opening != "'"
        else "A single quote opens a text that has no end.",
        Span(position, len(text) if end_of_line < 0 else end_of_line),
        hint=f"Write {closing} where it ends.",
    )


def _unquoted(group: str, raw: str) -> tuple[Kind, str]:
    """Decode a token in quotes. A token of kind WRONG keeps its text, but for a name without a letter."""
    match group:
        case "STRING":
            return Kind.STRING, _string_value(raw)
        case "NAME":
            return Kind.NAME if len(raw) > 2 else Kind.WRONG, raw[1:-1].replace("``", "`")
        case "QUOTED":
            return Kind.QUOTED, raw[1:-1].replace('""', '"').replace('\\"', '"')
        case "HEX":
            digits = raw[2:-1]
            right = len(digits) % 2 == 0 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
            return (Kind.HEX, digits) if right else (Kind.WRONG, raw)
        case _:
            unescaped = _escaped_value(raw[2:-1])
            return (Kind.WRONG, raw) if unescaped is None else (Kind.STRING, unescaped)


def _string_value(raw: str) -> str:
    prefix, _, body = raw.partition("'")
    value = body[:-1].replace("''", "'")
    if prefix.upper() == "U&":
        return _UNICODE_ESCAPE.sub(_unescape, value)
    return value


#: The escapes of `E'…'`.
_C_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{1,3})|(.))", re.DOTALL)
_C_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _escaped_value(body: str) -> str | None:
    r"""Decode the characters of `E'…'`; None where an escape names none.

    >>> _escaped_value(r"a\tb\x41\u00e9\'")
    "a\tbAé'"
    """
    points: list[int] = []

    def character(found: re.Match[str]) -> str:
        digits, base = (found[4], 8) if found[4] else (found[1] or found[2] or found[3], 16)
        if digits is None:
            points.append(0 if found[5] not in "xuU" else -1)
            return _C_LETTERS.get(found[5], found[5])
        points.append(int(digits, base))
        return chr(points[-1]) if _is_character(points[-1]) else ""

    text = _C_ESCAPE.sub(character, body.replace("''", "'"))
    return text if all(_is_character(point) for point in points) else None


def _is_character(point: int) -> bool:
    """Check for a whole character: half of a surrogate pair is none, and no encoder accepts it."""
    return 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF


def _unescape(found: re.Match[str]) -> str:
    code = found.group(1) or found.group(2)
    if code is None:
        return "\\"
    point = int(code, 16)
    return chr(point) if _is_character(point) else "\ufffd"
