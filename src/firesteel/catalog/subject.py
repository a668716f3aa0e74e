"""Finds the registry's subject for the schema of a table's messages: the one that is named, or one derived from the
table's only topic.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.catalog.with_clause.resolve import FormatOptions, TableOptions
from firesteel.errors import Problem
from firesteel.options.option import Option
from firesteel.options.value import OptionValues


def with_subject(choice: FormatOptions, table: TableOptions, part: str) -> OptionValues:
    """Returns the format's options with the subject. `part` is `key` or `value`."""
    options, subject = choice.options, _option(choice)
    topics = table.spec.places(table.options).names if table.spec is not None else ()
    if subject is None or options.given(subject) or len(topics) != 1:
        return options
    return replace(options, values={**options.values, subject.key: f"{topics[0]}-{part}"})


def check_subject(table: TableOptions) -> list[Problem]:
    """Reports the missing subject of a table that is written."""
    problems: list[Problem] = []
    for part, choice in (("key", table.key_format), ("value", table.value_format)):
        subject = _option(choice) if choice is not None else None
        if choice is None or subject is None:
            continue
        if not with_subject(choice, table, part).given(subject) and not choice.scope.written(subject):
            problems.append(
                Problem(
                    f"{choice.scope.name(subject)} is needed to write, and is not set.",
                    choice.span,
                    "Add it: only for a table with exactly one topic it can be made of the topic's name.",
                )
            )
    return problems


def _option(choice: FormatOptions) -> Option[str] | None:
    return choice.spec.subject if choice.spec is not None else None
