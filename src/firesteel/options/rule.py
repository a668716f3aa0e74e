"""Rules across options, as data: which option needs, excludes or only goes with another.

A rule applies to tables that are read, written, or both; `check_rules` reports the rules that a table breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any, Protocol

from firesteel.errors import Problem, Span
from firesteel.options.kind import quoted
from firesteel.options.option import Option, Side
from firesteel.options.secret import reveal
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class Scope:
    """The options of one table, as a rule sees them.

    `names` maps a key to its name in this table: with its format's prefix, or in its dialect. Missing options are
    reported at `span`.
    """

    values: OptionValues
    span: Span
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, option: Option[Any]) -> str:
        return f"'{self.names.get(option.key, option.key)}'"

    def written(self, option: Option[Any]) -> bool:
        """Checks whether the option is set, even to a wrong value: that has been reported, and it is not missing."""
        return option.key in self.values.spans

    def where(self, option: Option[Any]) -> Span:
        return self.values.spans.get(option.key, self.span)


#: Returns the name of an option in a sentence.
Namer = Callable[[Option[Any]], str]


class Rule(Protocol):
    @property
    def side(self) -> Side: ...

    def check(self, scope: Scope) -> Problem | None: ...

    def describe(self, name: Namer) -> tuple[str, str]:
        """Describes the rule in a sentence, in English and in Chinese. `name` returns how an option is written there."""


def check_rules(rules: Iterable[Rule], scope: Scope, side: Side) -> tuple[Problem, ...]:
    """Returns the problems of the rules that apply to exactly this side; `Side.BOTH` for those that always apply."""
    found = (rule.check(scope) for rule in rules if rule.side is side)
    return tuple(problem for problem in found if problem is not None)


@dataclass(frozen=True)
class RequiredWhen:
    """If `option` is `value`, another option is required."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        first, second = f"{name(self.option)} = `{self.value.value}`", name(self.needs)
        return (f"{first} needs {second}.", f"{first} 时需要 {second}。")


@dataclass(frozen=True)
class OneOf:
    """At least one of these options is required."""

    options: tuple[Option[Any], ...]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if any(scope.written(option) for option in self.options):
            return None
        # An old dialect has its own name for some of the options, and does not have the others.
        own = [option for option in self.options if scope.names.get(option.key, option.key) != option.key]
        names = " or ".join(scope.name(option) for option in own or self.options)
        return Problem(f"The table needs {names}.", scope.span, self.hint)

    def describe(self, name: Namer) -> tuple[str, str]:
        names = [name(option) for option in self.options]
        return (f"{' or '.join(names)} is needed.", f"需要 {' 或 '.join(names)}。")


@dataclass(frozen=True)
class Exclusive:
    """Only one of these options may be set."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        return (
            f"{name(self.first)} and {name(self.second)} exclude each other.",
            f"{name(self.first)} 与 {name(self.second)} 不能同时使用。",
        )


@dataclass(frozen=True)
class OnlyWith:
    """`option` has a meaning only if another one is set."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        return (f"{name(self.option)} needs {name(self.needs)}.", f"{name(self.option)} 需要 {name(self.needs)}。")


@dataclass(frozen=True)
class OnlyWhen:
    """`option` may be set to something only if another option has this value."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        second = f"{name(self.needs)} = `{self.value.value}`"
        return (f"{name(self.option)} needs {second}.", f"{name(self.option)} 需要 {second}。")


@dataclass(frozen=True)
class NeverWith:
    """`option` = `value` is not allowed if another option is set."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        first = f"{name(self.option)} = `{self.text}`"
        return (f"{first} does not go with {name(self.other)}.", f"{first} 不能与 {name(self.other)} 同时使用。")


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

    def describe(self, name: Namer) -> tuple[str, str]:
        return (
            f"{name(self.first)} and {name(self.second)} cannot both be `true`.",
            f"{name(self.first)} 与 {name(self.second)} 不能同时为 `true`。",
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

    def describe(self, name: Namer) -> tuple[str, str]:
        where, where_zh = ("read", "读取") if self.side is Side.SINK else ("written", "写入")
        return (
            f"{name(self.option)} can be `true` only in a table that is {where}.",
            f"{name(self.option)} 只有在被{where_zh}的表中才能为 `true`。",
        )


@dataclass(frozen=True)
class Together:
    """Either both are above zero, or neither."""

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

    def describe(self, name: Namer) -> tuple[str, str]:
        return (
            f"{name(self.first)} and {name(self.second)} are above zero together, or neither is.",
            f"{name(self.first)} 与 {name(self.second)} 必须同时大于零或都不设置。",
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

    def describe(self, name: Namer) -> tuple[str, str]:
        first, values = f"{name(self.option)} = `{self.value.value}`", ", ".join(f"`{text}`" for text in self.allowed)
        return (
            f"With {first}, `properties.{self.name}` is one of {values}.",
            f"{first} 时 `properties.{self.name}` 只能是 {values}。",
        )
