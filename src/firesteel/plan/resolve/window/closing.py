"""Lets aggregates and ranks over a window emit their rows when the window closes."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from firesteel.plan.expression import ColumnRef
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
)
from firesteel.plan.node.window import Session, Watermark, Window, WindowAggregate
from firesteel.plan.resolve.mistake import Mistake


def close_window(node: Node) -> Node:
    """Makes an aggregate whose keys hold start and end of a window a WindowAggregate; returns any other node unchanged."""
    if not isinstance(node, Aggregate):
        return node
    window, held = node.input.window_columns, frozenset(node.keys)
    if window is None or not window.starts & held or not window.ends & held:
        return node
    aggregate = WindowAggregate(
        node.input,
        node.keys,
        node.fields,
        node.calls,
        window.assigner,
        window.starts & held,
        window.ends & held,
        window.rowtimes & held,
        window.is_local,
        window.by_clock,
        node.span,
    )
    session = _session_partition(node.input)
    if session is not None and session != frozenset(aggregate.other_keys):
        partition, grouped = ", ".join(sorted(session)), ", ".join(aggregate.other_keys)
        raise Mistake(
            f"SESSION is partitioned by {partition or 'nothing'} and GROUP BY by {grouped or 'nothing'} beside the window;"
            " sessions of other groups are not supported yet.",
            node.span,
            f"Write PARTITION BY {grouped} in SESSION." if grouped else "Group by the columns of PARTITION BY.",
        )
    return aggregate


def close_rank(rank: Rank) -> Rank:
    """Lets a Rank whose partition holds start and end of a window emit its rows when the window closes."""
    window, held = rank.input.window_columns, frozenset(rank.partition)
    if window is None or not window.starts & held or not window.ends & held:
        return rank
    if window.by_clock:
        raise Mistake(
            f"{rank.clause} within windows of processing time is not supported: it ranks windows of event time.",
            rank.span,
        )
    return replace(rank, window_end=min(window.ends & held), window_is_local=window.is_local)


def _session_partition(node: Node) -> frozenset[str] | None:
    """Returns the columns that partition a SESSION function, under their names at this node; None if there is no such function."""
    match node:
        case Window(assigner=Session(), partition=partition):
            return None if partition is None else frozenset(partition)
        case Project():
            inner = _session_partition(node.input)
            if inner is None:
                return None
            names = {
                expression.name: field.name
                for field, expression in zip(node.fields, node.expressions, strict=True)
                if isinstance(expression, ColumnRef)
            }
            return frozenset(names.get(name, name) for name in inner)
        # `check_windows` refuses any of these between SESSION and its GROUP BY.
        case Window() | Scan() | Values() | Normalize() | Watermark() | Filter() | Union() | Unnest() | Sink():
            return None
        case Aggregate() | WindowAggregate() | Join() | TimeJoin() | Rank() | Materialize():
            return None
        case _:
            assert_never(node)
