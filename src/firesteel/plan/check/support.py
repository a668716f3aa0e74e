"""Refuses what a plan needs and the run time cannot do yet, with its position, before anything starts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from firesteel.catalog.table import Table
from firesteel.errors import Problem, Severity
from firesteel.formats.builtin import format_named
from firesteel.plan.check.window import check_windows
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
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
        spec = format_named(bound.name) if bound is not None else None
        if bound is not None and spec is not None and spec.properties is not None:
            for key in bound.options.properties:
                if key not in spec.properties:
                    yield Problem(
                        f"'{bound.name}.properties.{key}' has no effect here.",
                        bound.options.spans.get(f"properties.{key}"),
                        severity=Severity.WARNING,
                    )


def _nodes(node: Node) -> Iterator[Problem]:
    for child in node.inputs:
        yield from _nodes(child)
    match node:
        case Join(keys=()):
            yield Problem(
                "A join needs an equality between its two sides.", node.span, "Write for example ON a.id = b.id."
            )
        case Rank():
            yield from _rank(node)
        case (
            Aggregate()
            | Scan()
            | Values()
            | Normalize()
            | Project()
            | Filter()
            | Union()
            | Unnest()
            | Join()
            | Materialize()
            | Sink()
        ):
            return
        case TimeJoin() | Watermark() | Window() | WindowAggregate():
            # `check_windows` checks these.
            return
        case _:
            assert_never(node)


def _rank(node: Rank) -> Iterator[Problem]:
    if node.last is None or node.last < node.first or node.last > MOST_PLACES:
        yield Problem(f"{node.clause} is limited to 1 to {MOST_PLACES} places.", node.span)
