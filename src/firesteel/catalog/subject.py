"""Finds the registry's subject for the schema of a table's messages: the one that is named, or one derived from the
table's only topic.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.catalog.with_clause.resolve import FormatOptions, TableOptions
from firesteel.errors import Problem
from firesteel.formats.avro_confluent.options import SUBJECT
from firesteel.options.value import OptionValues

_FORMAT = "avro-confluent"


def with_subject(choice: FormatOptions, table: TableOptions, part: str) -> OptionValues:
    """Returns the format's options with the subject. `part` is `key` or `value`."""
    options = choice.options
    topics = table.spec.places(table.options).names if table.spec is not None else ()
    if choice.name != _FORMAT or options.given(SUBJECT) or len(topics) != 1:
        return options
    return replace(options, values={**options.values, SUBJECT.key: f"{topics[0]}-{part}"})


def check_subject(table: TableOptions) -> list[Problem]:
    """Reports the missing subject of a table that is written."""
    problems: list[Problem] = []
    for part, choice in (("key", table.key_format), ("value", table.value_format)):
        if choice is None or choice.name != _FORMAT:
            continue
        if not with_subject(choice, table, part).given(SUBJECT) and not choice.scope.written(SUBJECT):
            problems.append(
                Problem(
                    f"{choice.scope.name(SUBJECT)} is needed to write, and is not set.",
                    choice.span,
                    "Add it: only for a table with exactly one topic it can be made of the topic's name.",
                )
            )
    return problems
