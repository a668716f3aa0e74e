"""Rules across options, as data: what needs, excludes or goes only with what.

A rule belongs to the tables that are read, written, or both; `check_rules` says which of them a table breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any, Protocol

from firesteel.connectors.kafka import options as kafka
from firesteel.errors import Problem, Span
from firesteel.options.kind import quoted
from firesteel.options.option import Option, Side
from firesteel.options.secret import reveal
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class Scope:
    """The options a rule looks at, as one table has them.

    `names` says how this table writes a key: with its format's prefix, or as its dialect calls it. `span` is where
    something missing is reported.
    """

    values: OptionValues
    span: Span
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, option: Option[Any]) -> str:
        return f"'{self.names.get(option.key, option.key)}'"

    def written(self, option: Option[Any]) -> bool:
        """Also when its value is wrong: that has been reported, and it is not missing."""
        return option.key in self.values.spans

    def where(self, option: Option[Any]) -> Span:
        return self.values.spans.get(option.key, self.span)


class Rule(Protocol):
    @property
    def side(self) -> Side: ...

    def check(self, scope: Scope) -> Problem | None: ...


def check_rules(rules: Iterable[Rule], scope: Scope, side: Side) -> tuple[Problem, ...]:
    """The problems of the rules that belong to exactly this side; `Side.BOTH` asks for those of any use."""
    found = (rule.check(scope) for rule in rules if rule.side is side)
    return tuple(problem for problem in found if problem is not None)


@dataclass(frozen=True)
class RequiredWhen:
    """`option` = `value` needs another option."""

    option: Option[Any]
    value: Enum
    needs: Option[Any]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if scope.values.get(self.option) is not self.value or scope.written(self.needs):
            return None
        return Problem(
            f"{scope.name(self.option)} is '{self.value.value}' and needs {scope.name(self.needs)}.",
            scope.where(self.option),
            self.hint,
        )


@dataclass(frozen=True)
class OneOf:
    """At least one of these."""

    options: tuple[Option[Any], ...]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if any(scope.written(option) for option in self.options):
            return None
        # An old dialect has its own name for some of them, and not the others.
        own = [option for option in self.options if scope.names.get(option.key, option.key) != option.key]
        names = " or ".join(scope.name(option) for option in own or self.options)
        return Problem(f"The table needs {names}.", scope.span, self.hint)


@dataclass(frozen=True)
class Exclusive:
    """Not both."""

    first: Option[Any]
    second: Option[Any]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if not (scope.written(self.first) and scope.written(self.second)):
            return None
        return Problem(
            f"{scope.name(self.second)} is set together with {scope.name(self.first)}.",
            scope.where(self.second),
            self.hint,
        )


@dataclass(frozen=True)
class OnlyWith:
    """`option` makes sense only when another one is set."""

    option: Option[Any]
    needs: Option[Any]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if not scope.written(self.option) or scope.written(self.needs):
            return None
        return Problem(
            f"{scope.name(self.option)} is set and needs {scope.name(self.needs)}.", scope.where(self.option), self.hint
        )


@dataclass(frozen=True)
class OnlyWhen:
    """`option`, if it is set to something, needs another option to have this value."""

    option: Option[Any]
    needs: Option[Any]
    value: Enum
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if not scope.values.get(self.option) or scope.values.get(self.needs) is self.value:
            return None
        return Problem(
            f"{scope.name(self.option)} is set and needs {scope.name(self.needs)} = '{self.value.value}'.",
            scope.where(self.option),
            self.hint,
        )


@dataclass(frozen=True)
class NeverWith:
    """`option` = `value` does not go with another option that is set."""

    option: Option[Any]
    value: object
    text: str
    other: Option[Any]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if scope.values.get(self.option) != self.value or not scope.written(self.other):
            return None
        return Problem(
            f"{scope.name(self.option)} is '{self.text}', which does not go with {scope.name(self.other)}.",
            scope.where(self.option),
            self.hint,
        )


@dataclass(frozen=True)
class NotBothTrue:
    first: Option[bool]
    second: Option[bool]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if not (scope.values.get(self.first) and scope.values.get(self.second)):
            return None
        return Problem(
            f"{scope.name(self.first)} and {scope.name(self.second)} are both 'true'.",
            scope.where(self.second),
            self.hint,
        )


@dataclass(frozen=True)
class NeverTrue:
    """An option that one of the sides does not have."""

    option: Option[bool]
    reason: str
    hint: str
    side: Side

    def check(self, scope: Scope) -> Problem | None:
        if not scope.values.get(self.option):
            return None
        return Problem(f"{scope.name(self.option)} is 'true', {self.reason}.", scope.where(self.option), self.hint)


@dataclass(frozen=True)
class Together:
    """Both above zero, or neither."""

    first: Option[int]
    second: Option[timedelta]
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if any(option.key in scope.values.spans and not scope.values.given(option) for option in self._both):
            return None
        rows, interval = scope.values.get(self.first) or 0, scope.values.get(self.second) or timedelta(0)
        if (rows > 0) == (interval > timedelta(0)):
            return None
        set_one, other = self._both if rows > 0 else self._both[::-1]
        return Problem(
            f"{scope.name(set_one)} is above zero and needs {scope.name(other)} above zero too.",
            scope.where(set_one),
            f"Set both, or neither. For example {scope.name(self.first)} = '1000' and "
            f"{scope.name(self.second)} = '1 s'.",
        )

    @property
    def _both(self) -> tuple[Option[Any], Option[Any]]:
        return self.first, self.second


@dataclass(frozen=True)
class OneTopicWhen:
    """Offsets per partition say nothing about which topic's partition they mean."""

    option: Option[Any]
    value: Enum
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if scope.values.get(self.option) is not self.value:
            return None
        topics: tuple[str, ...] = scope.values.get(kafka.TOPIC) or ()
        if len(topics) < 2 and not scope.written(kafka.TOPIC_PATTERN):
            return None
        return Problem(
            f"{scope.name(self.option)} is '{self.value.value}', which needs a table of one topic.",
            scope.where(self.option),
            "Make one table per topic, or choose another mode.",
        )


@dataclass(frozen=True)
class PropertyWhen:
    """With `option` = `value`, a client property must have one of these values."""

    option: Option[Any]
    value: Enum
    name: str
    allowed: tuple[str, ...]
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        written = scope.values.properties.get(self.name)
        if (
            scope.values.get(self.option) is not self.value
            or written is None
            or reveal(written).lower() in self.allowed
        ):
            return None
        key = f"properties.{self.name}"
        return Problem(
            f"'{scope.names.get(key, key)}' is '{written}', but expects one of {quoted(self.allowed)}.",
            scope.values.spans.get(key, scope.span),
            f"Write '{self.allowed[0]}' to begin where the topic begins.",
        )


@dataclass(frozen=True)
class AnotherTopic:
    """`option` names a topic that is not one of the table's own."""

    option: Option[str]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        topic = scope.values.get(self.option)
        topics: tuple[str, ...] = scope.values.get(kafka.TOPIC) or ()
        if topic is None or topic not in topics:
            return None
        return Problem(
            f"{scope.name(self.option)} is '{topic}', which the table reads.", scope.where(self.option), self.hint
        )
