"""What a plan asks for and the run time cannot do yet. Refused here, with its position, so that nothing is half started."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firesteel.catalog.table import Table
from firesteel.changelog import INSERT_ONLY
from firesteel.errors import Problem, Severity
from firesteel.options.avro_confluent import PROPERTIES
from firesteel.options.error_handling import ERROR_HANDLING_MODE, ErrorMode
from firesteel.options.kafka import (
    SCAN_PARALLELISM,
    SINK_DELIVERY_GUARANTEE,
    SINK_PARALLELISM,
    DeliveryGuarantee,
)
from firesteel.options.legacy import UpdateMode
from firesteel.options.option import Option
from firesteel.options.registry import format_named
from firesteel.options.setting import SOURCE_IDLE_TIMEOUT, STATE_TTL
from firesteel.options.upsert_kafka import SINK_BUFFER_FLUSH_MAX_ROWS
from firesteel.plan.node import Aggregate, Node, Scan, Sink, scans

#: Options that are read and do nothing yet. Silence would be a lie about what the job does.
_NO_EFFECT_ON_SINK = (SINK_PARALLELISM, SINK_BUFFER_FLUSH_MAX_ROWS)
_NO_EFFECT_ON_SOURCE = (SCAN_PARALLELISM,)

_SETTINGS_WITHOUT_EFFECT = (
    (STATE_TTL, "State is kept for ever."),
    (SOURCE_IDLE_TIMEOUT, "There are no windows yet that could wait for an idle source."),
)

#: The formats that have a decoder and an encoder.
FORMATS = frozenset(
    {"json", "csv", "avro", "raw", "debezium-json", "canal-json", "maxwell-json", "ogg-json", "avro-confluent"}
)


def check_support(sink: Sink) -> tuple[Problem, ...]:
    problems = list(_sink(sink))
    for scan in scans(sink):
        problems += _source(scan)
    problems += _nodes(sink)
    return tuple(problems)


def _sink(sink: Sink) -> Iterator[Problem]:
    table = sink.table
    yield from _formats(table)
    yield from _no_effect(table, _NO_EFFECT_ON_SINK)
    if table.options.get(SINK_DELIVERY_GUARANTEE) is DeliveryGuarantee.EXACTLY_ONCE:
        yield Problem(
            "'sink.delivery-guarantee' is 'exactly-once', which is not supported yet.",
            table.options.span(SINK_DELIVERY_GUARANTEE) or table.span,
            "Write 'at-least-once'.",
        )
    if table.update_mode is UpdateMode.RETRACT:
        yield Problem("'update-mode' is 'retract', which is not supported yet.", table.span, "Write 'upsert'.")


def _no_effect(table: Table, options: Iterable[Option[Any]]) -> Iterator[Problem]:
    for option in options:
        if table.options.given(option):
            yield Problem(f"'{option.key}' has no effect yet.", table.options.span(option), severity=Severity.WARNING)


def _source(scan: Scan) -> Iterator[Problem]:
    table = scan.table
    yield from _formats(table)
    yield from _no_effect(table, _NO_EFFECT_ON_SOURCE)
    if table.options.get(ERROR_HANDLING_MODE) is ErrorMode.LOG:
        yield Problem(
            "'error-handling.mode' is 'log', which is not supported yet.",
            table.options.span(ERROR_HANDLING_MODE),
            "Write 'ignore' to count bad records and go on.",
        )


def _formats(table: Table) -> Iterator[Problem]:
    for bound in (table.key_format, table.value_format):
        # A format that does not exist has been reported as such.
        if bound is not None and bound.name not in FORMATS and format_named(bound.name):
            yield Problem(f"The format '{bound.name}' of '{table.name}' is not supported yet.", table.span)
        if bound is not None and bound.name == "avro-confluent":
            for key in bound.options.properties:
                if key not in PROPERTIES:
                    yield Problem(
                        f"'{bound.name}.properties.{key}' has no effect here.",
                        bound.options.spans.get(f"properties.{key}"),
                        severity=Severity.WARNING,
                    )


def _nodes(node: Node) -> Iterator[Problem]:
    for child in node.inputs:
        yield from _nodes(child)
    if isinstance(node, Aggregate) and node.input.changelog != INSERT_ONLY:
        yield Problem("An aggregate over a query that updates is not supported yet.", node.span)


def settings_without_effect(settings: Mapping[str, object]) -> tuple[Problem, ...]:
    return tuple(
        Problem(f"'{option.key}' has no effect yet.", hint=hint, severity=Severity.WARNING)
        for option, hint in _SETTINGS_WITHOUT_EFFECT
        if option.key in settings
    )
