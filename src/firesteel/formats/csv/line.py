"""Splits a CSV line into its texts, by Jackson's rules.

Only the first line of a message is read. A quote has a meaning only at the start of a value; only blanks may follow the
closing quote.

>>> from firesteel.formats.csv.settings import CsvSettings
>>> split_line("a,'b ''c''' ,d'e", CsvSettings(quote="'"))
['a', "b 'c'", "d'e"]
"""

from __future__ import annotations

import re
from functools import lru_cache

from firesteel.formats.csv.settings import CsvSettings
from firesteel.formats.java.number import JAVA_SPACE

_UNESCAPED = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}


class MalformedLine(ValueError):
    pass


def split_line(text: str, settings: CsvSettings) -> list[str]:
    """Splits the first line of a message. Returns no texts for a message without a line. Raises MalformedLine."""
    start = _skip_comments(text) if settings.allow_comments else 0
    if start >= len(text):
        return []
    return _Scanner(text, start, settings).values()


def _skip_comments(text: str) -> int:
    at = 0
    while at < len(text):
        match text[at]:
            case "#":
                while at < len(text) and text[at] not in "\r\n":
                    at += 1
            case "\r" | "\n" | " ":
                at += 1
            case _:
                break
    return at


@lru_cache(maxsize=64)
def _runs(delimiter: str, quote: str | None, escape: str | None) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Makes the patterns of characters that are taken unchanged, outside and inside of quotes."""
    outside = re.compile(f"[^{re.escape(delimiter + (escape or ''))}\r\n]*+")
    return outside, re.compile(f"[^{re.escape((quote or '') + (escape or ''))}]*+" if quote or escape else r"[\s\S]*+")


class _Scanner:
    def __init__(self, text: str, at: int, settings: CsvSettings) -> None:
        self._text = text
        self._at = at
        self._settings = settings
        self._more = True
        self._plain, self._inside = _runs(settings.delimiter, settings.quote, settings.escape)

    def values(self) -> list[str]:
        values: list[str] = []
        while self._more:
            values.append(self._value())
        return values

    def _value(self) -> str:
        """Reads the next value. `_more` tells whether a delimiter followed it."""
        text, settings = self._text, self._settings
        if settings.trim_spaces:
            while (
                self._at < len(text)
                and text[self._at] <= " "
                and text[self._at] not in (settings.delimiter, "\r", "\n")
            ):
                self._at += 1
        if self._at < len(text) and settings.quote and text[self._at] == settings.quote:
            self._at += 1
            return self._quoted()
        return self._unquoted()

    def _unquoted(self) -> str:
        text, delimiter = self._text, self._settings.delimiter
        parts: list[str] = []
        while True:
            match = self._plain.match(text, self._at)
            assert match is not None
            parts.append(match[0])
            self._at = match.end()
            if self._at >= len(text):
                self._more = False
                break
            char = text[self._at]
            self._at += 1
            if char == delimiter:
                break
            if char in "\r\n":
                self._more = False
                break
            parts.append(self._unescape())
        value = "".join(parts)
        return value.rstrip(JAVA_SPACE) if self._settings.trim_spaces else value

    def _quoted(self) -> str:
        text, quote = self._text, self._settings.quote
        parts: list[str] = []
        while True:
            match = self._inside.match(text, self._at)
            assert match is not None
            parts.append(match[0])
            self._at = match.end() + 1
            if match.end() >= len(text):
                raise MalformedLine("a quoted value has no closing quote")
            if text[match.end()] != quote:
                parts.append(self._unescape())
            elif self._at < len(text) and text[self._at] == quote:
                parts.append(quote)
                self._at += 1
            else:
                break
        self._close()
        return "".join(parts)

    def _close(self) -> None:
        text, delimiter = self._text, self._settings.delimiter
        while self._at < len(text):
            char = text[self._at]
            self._at += 1
            if char == delimiter:
                return
            if char in "\r\n":
                break
            if char > " ":
                raise MalformedLine(f"'{char}' stands behind a closing quote where a delimiter is expected")
        self._more = False

    def _unescape(self) -> str:
        if self._at >= len(self._text):
            raise MalformedLine("the message ends within an escape")
        char = self._text[self._at]
        self._at += 1
        return _UNESCAPED.get(char, char)
