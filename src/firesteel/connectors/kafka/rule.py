"""Rules about the topics of a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from firesteel.connectors.kafka.options import TOPIC, TOPIC_PATTERN
from firesteel.errors import Problem
from firesteel.options.option import Option, Side
from firesteel.options.rule import Namer, Scope


@dataclass(frozen=True)
class OneTopicWhen:
    """Offsets per partition say nothing about which topic's partition they mean."""

    option: Option[Any]
    value: Enum
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        if scope.values.get(self.option) is not self.value:
            return None
        topics: tuple[str, ...] = scope.values.get(TOPIC) or ()
        if len(topics) < 2 and not scope.written(TOPIC_PATTERN):
            return None
        return Problem(
            f"{scope.name(self.option)} is '{self.value.value}', which needs a table of one topic.",
            scope.where(self.option),
            "Make one table per topic, or choose another mode.",
        )

    def describe(self, name: Namer) -> tuple[str, str]:
        first = f"{name(self.option)} = `{self.value.value}`"
        return (f"{first} needs a table of one topic.", f"{first} 时表只能有一个主题。")


@dataclass(frozen=True)
class AnotherTopic:
    """`option` names a topic that is not one of the table's own."""

    option: Option[str]
    hint: str
    side: Side = Side.BOTH

    def check(self, scope: Scope) -> Problem | None:
        topic = scope.values.get(self.option)
        topics: tuple[str, ...] = scope.values.get(TOPIC) or ()
        if topic is None or topic not in topics:
            return None
        return Problem(
            f"{scope.name(self.option)} is '{topic}', which the table reads.", scope.where(self.option), self.hint
        )

    def describe(self, name: Namer) -> tuple[str, str]:
        return (
            f"{name(self.option)} is not one of the topics that the table reads.",
            f"{name(self.option)} 不能是该表读取的主题。",
        )
