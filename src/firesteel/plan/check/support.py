"""Refuses what a plan needs and the run time cannot do yet, with its position, before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from firesteel.catalog.table import Table
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.errors import Problem, Severity
from firesteel.formats.avro_confluent.options import PROPERTIES
from firesteel.plan.check.window import check_windows
from firesteel.plan.fact.retraction import null_when_retracted
from firesteel.plan.function.aggregate import REVERSIBLE
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    TimeJoin,
    Union,
    Unnest,
    Values,
    Watermark,
    Window,
    WindowAggregate,
    scans,
)
from firesteel.types import NUMERIC, Array, Date, Map, Multiset, Row, Timestamp, TimestampLtz

#: The greatest limit of a Top-N. Its state is one value for each partition, which holds twice as many rows.
MOST_PLACES = 10_000


def check_support(sink: Sink) -> tuple[Problem, ...]:
    problems = list(_formats(sink.table))
    for scan in scans(sink):
        problems += _formats(scan.table)
    problems += _nodes(sink)
    problems += check_windows(sink)
    return tuple(problems)


def _formats(table: Table) -> Iterator[Problem]:
    for bound in (table.key_format, table.value_format):
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
    match node:
        case Aggregate():
            yield from _aggregate(node)
        case Join(keys=()):
            yield Problem(
                "A join needs an equality between its two sides.", node.span, "Write for example ON a.id = b.id."
            )
        case Rank():
            yield from _rank(node)
        case Scan() | Values() | Normalize() | Project() | Filter() | Union() | Unnest() | Join() | Sink():
            return
        case TimeJoin() | Watermark() | Window() | WindowAggregate():
            # `check_windows` checks these.
            return
        case _:
            assert_never(node)


def _aggregate(node: Aggregate) -> Iterator[Problem]:
    if not node.retracts and not node.old_rows:
        return
    safe = null_when_retracted(node.input)
    for call in node.calls:
        if call.function in REVERSIBLE:
            continue
        kept = call.argument is not None and (not node.retracts or call.argument.name in safe)
        if call.function in ("MIN", "MAX") and kept:
            continue
        if node.retracts:
            yield Problem(
                f"'{call.function}' over a query that updates or deletes is not supported: which value comes next when"
                " the present one goes is not known.",
                node.span,
                "COUNT, SUM and AVG are supported there.",
            )
        else:
            yield Problem(
                f"'{call.function}' is not supported yet where the old row has to be known.",
                node.span,
                "Write into an 'upsert-kafka' table whose primary key is the columns of GROUP BY.",
            )
    fields = {field.name: field for field in node.input.fields}
    held = [*node.keys, *(call.argument.name for call in node.calls if call.distinct and call.argument)]
    for name in held:
        if isinstance(fields[name].type, Array | Map | Multiset | Row):
            yield Problem(
                f"GROUP BY '{name}' of type {fields[name].type.sql} over a query that updates is not supported yet.",
                node.span,
                "Group by columns of simple types.",
            )


def _rank(node: Rank) -> Iterator[Problem]:
    if node.last is None or node.last < node.first or node.last > MOST_PLACES:
        yield Problem(f"{node.clause} is limited to 1 to {MOST_PLACES} places.", node.span)
    if node.input.changelog != INSERT_ONLY:
        yield Problem(
            f"{node.clause} over a query that updates is not supported yet.",
            node.span,
            "It can stand over a query that only inserts: over a table, or over windows.",
        )
    yield from _mixed_order(node)


def _mixed_order(node: Rank) -> Iterator[Problem]:
    types = {field.name: field.type for field in node.input.fields}
    if len({column.descending for column in node.order}) < 2:
        return
    for column in node.order:
        if not column.descending and not isinstance(types[column.column], (*NUMERIC, Date, Timestamp, TimestampLtz)):
            yield Problem(
                f"'{column.column} ASC' of type {types[column.column].sql} beside a column with DESC is not supported"
                " yet.",
                node.span,
                "Order all columns in one direction.",
            )
