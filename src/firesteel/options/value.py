"""The options of one table, checked and typed. From here on there are no raw strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from firesteel.errors import Span
from firesteel.options.option import Option

T = TypeVar("T")


@dataclass(frozen=True)
class OptionValues:
    """Typed values by option key, without defaults. `spans` are the positions in the script.

    `properties` holds the client settings (`properties.*` with the prefix removed).
    """

    values: Mapping[str, object] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)

    def get(self, option: Option[T]) -> T | None:
        """Returns the value that was written, or the option's default."""
        value = self.values.get(option.key, option.default)
        return value  # type: ignore[return-value]  # the mapping is filled by option.kind.parse only

    def given(self, option: Option[T]) -> bool:
        return option.key in self.values

    def span(self, option: Option[T]) -> Span | None:
        return self.spans.get(option.key)
