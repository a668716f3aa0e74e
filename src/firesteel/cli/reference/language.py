"""A text in the two languages that the people with these scripts read."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Language(Enum):
    ENGLISH = "en"
    CHINESE = "zh"


class Text(NamedTuple):
    en: str
    zh: str

    @classmethod
    def same(cls, text: str) -> Text:
        """A name or a value, which has one spelling everywhere."""
        return cls(text, text)

    def into(self, language: Language) -> str:
        return self.zh if language is Language.CHINESE else self.en
