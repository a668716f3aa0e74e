"""What Huawei DLI's tables of Kafka say in another way than today's."""

from __future__ import annotations

from dataclasses import replace

from firesteel.connectors.kafka.options import SINK_PARTITIONER
from firesteel.errors import Problem
from firesteel.options.entry import Given
from firesteel.options.legacy import SINK_PARTITIONER_CLASS


def translate_partitioner(given: tuple[Given, ...], problems: list[Problem]) -> tuple[Given, ...]:
    """Turns `custom` and its class into the one value that `sink.partitioner` has today."""
    chosen = next((entry for entry in given if entry.key == SINK_PARTITIONER.key), None)
    named = next((entry for entry in given if entry.key == SINK_PARTITIONER_CLASS.key), None)
    if chosen is not None and chosen.text == "custom":
        if named is None:
            problems.append(
                Problem(
                    f"'{chosen.written}' is 'custom' and needs '{SINK_PARTITIONER_CLASS.key}'.",
                    chosen.span,
                    "Name the Python class, as 'package.module.Class'.",
                )
            )
            return tuple(entry for entry in given if entry is not chosen)
        custom = replace(chosen, written=named.written, text=named.text, value_span=named.value_span)
        return tuple(custom if entry is chosen else entry for entry in given)
    if named is not None:
        what = f"is '{chosen.shown}'" if chosen is not None else "is not set"
        problems.append(
            Problem(
                f"'{named.written}' is set, but 'connector.sink-partitioner' {what}.",
                named.key_span,
                "Write 'connector.sink-partitioner' = 'custom', or remove the class.",
            )
        )
    return given
