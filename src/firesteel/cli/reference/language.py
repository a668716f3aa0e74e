"""A text in English and Chinese."""

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
        """Makes a text that is the same in both languages, such as a name or a value."""
        return cls(text, text)

    def into(self, language: Language) -> str:
        return self.zh if language is Language.CHINESE else self.en
