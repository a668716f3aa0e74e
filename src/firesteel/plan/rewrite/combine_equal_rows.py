"""Pass: let a source combine equal rows into one with a row count, where the aggregate above needs no more."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.fact.keyed import adds_up, is_keyed
from firesteel.plan.fact.non_deterministic import RANDOM, calls_of
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
    map_inputs,
)
from firesteel.types import Array, Field, Map, Multiset, Row

#: Functions that may give different values for equal rows. A user's own function may be one of them.
_NON_DETERMINISTIC = RANDOM | {"PYTHON"}


def combine_equal_rows(node: Node) -> Node:
    if isinstance(node, Aggregate) and _allows_combining(node):
        return replace(node, input=_combine(node.input))
    return map_inputs(node, combine_equal_rows)


def _allows_combining(node: Aggregate) -> bool:
    return not is_keyed(node) and not node.retracts and not node.old_rows and all(map(adds_up, node.calls))


def _combine(node: Node) -> Node:
    """Marks the source of an aggregate, if equal rows stay equal on the way from it."""
    match node:
        case Scan(changelog=changes, ordered=False) if changes == INSERT_ONLY and not any(map(_is_nested, node.fields)):
            return replace(node, combined=True)
        case Project() | Filter() if not any(calls_of(node, _NON_DETERMINISTIC)):
            return replace(node, input=_combine(node.input))
        case Scan() | Values() | Normalize() | Aggregate() | WindowAggregate() | Join() | TimeJoin() | Rank() | Union():
            return combine_equal_rows(node)
        case Project() | Filter() | Unnest() | Watermark() | Window() | Materialize() | Sink():
            return combine_equal_rows(node)
        case _:
            assert_never(node)


def _is_nested(field: Field) -> bool:
    return isinstance(field.type, Array | Map | Multiset | Row)
