"""One CSV line into its texts, by Jackson's rules.

Only the first line of a message is read. A quote means something only at the start of a value; behind the closing quote
nothing but blanks may stand.

>>> from firesteel.formats.csv.settings import CsvSettings
>>> split_line("a,'b ''c''' ,d'e", CsvSettings(quote="'"))
['a', "b 'c'", "d'e"]
"""

from __future__ import annotations

from firesteel.formats.csv.settings import CsvSettings
from firesteel.formats.java_number import JAVA_SPACE

_UNESCAPED = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}


class MalformedLine(ValueError):
    pass


def split_line(text: str, settings: CsvSettings) -> list[str]:
    """The texts of the first line; none for a message without a line. Raises MalformedLine."""
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


class _Scanner:
    def __init__(self, text: str, at: int, settings: CsvSettings) -> None:
        self._text = text
        self._at = at
        self._settings = settings
        self._more = True

    def values(self) -> list[str]:
        values: list[str] = []
        while self._more:
            values.append(self._value())
        return values

    def _value(self) -> str:
        """The next value; `_more` says whether a delimiter stood behind it."""
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
        text, delimiter, escape = self._text, self._settings.delimiter, self._settings.escape
        parts: list[str] = []
        while True:
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
            parts.append(self._unescape() if char == escape else char)
        value = "".join(parts)
        return value.rstrip(JAVA_SPACE) if self._settings.trim_spaces else value

    def _quoted(self) -> str:
        text, quote, escape = self._text, self._settings.quote, self._settings.escape
        parts: list[str] = []
        while True:
            if self._at >= len(text):
                raise MalformedLine("a quoted value has no closing quote")
            char = text[self._at]
            self._at += 1
            if char == quote:
                if self._at < len(text) and text[self._at] == quote:
                    parts.append(quote)
                    self._at += 1
                    continue
                break
            parts.append(self._unescape() if char == escape else char)
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
