"""Finds the unique keys of a plan's rows: all of them, where a node itself gives one.

A sink that takes upserts has one message for each primary key. If two rows that exist at the same time shared it, the
deletion of one would delete the other: so the primary key has to contain one of these keys.
"""

from __future__ import annotations

from itertools import islice, product
from typing import assert_never

from firesteel.plan.expression import distinguishing_column
from firesteel.plan.node.join_kind import JoinKind
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
)

Keys = frozenset[frozenset[str]]

#: The greatest number of keys that are kept: a plan with many joins has very many.
_MOST = 64


def upsert_keys(node: Node) -> Keys:
    """Returns the keys that no two rows of the node share.

    >>> from firesteel.plan.node.relation import Values
    >>> upsert_keys(Values((), ()))
    frozenset()
    """
    match node:
        case Sink() | Filter() | Watermark():
            return upsert_keys(node.input)
        case Project():
            return _projected(node)
        case Rank():
            # A row keeps the keys it had below, and gets its row number within the partition.
            return _some([*upsert_keys(node.input), *_own(node)])
        case Join():
            return _joined(node)
        case (
            Scan()
            | Values()
            | Normalize()
            | Materialize()
            | Aggregate()
            | WindowAggregate()
            | TimeJoin()
            | Window()
            | Union()
            | Unnest()
        ):
            return _own(node)
        case _:
            assert_never(node)


def _own(node: Node) -> Keys:
    return frozenset() if node.unique_key is None else frozenset({node.unique_key})


def _some(keys: list[frozenset[str]]) -> Keys:
    """Returns the smallest keys, at most `_MOST`."""
    return frozenset(sorted(set(keys), key=lambda key: (len(key), sorted(key)))[:_MOST])


def _projected(node: Project) -> Keys:
    names: dict[str, list[str]] = {}
    for column, expression in zip(node.fields, node.expressions, strict=True):
        source = distinguishing_column(expression)
        if source is not None:
            names.setdefault(source.name, []).append(column.name)
    found: list[frozenset[str]] = []
    for key in upsert_keys(node.input):
        if key <= names.keys():
            found += map(frozenset, islice(product(*(names[one] for one in key)), _MOST))
    return _some(found)


def _joined(node: Join) -> Keys:
    left, right = upsert_keys(node.left), upsert_keys(node.right)
    if node.kind.keeps_left:
        return left
    pairs = [(distinguishing_column(one), distinguishing_column(other)) for one, other in node.keys]
    bound_left = {one.name for one, _ in pairs if one is not None}
    bound_right = {other.name for _, other in pairs if other is not None}
    found: list[frozenset[str]] = []
    # If a row has at most one partner, its own key is unique among the pairs.
    if node.kind in (JoinKind.INNER, JoinKind.LEFT) and any(key <= bound_right for key in right):
        found += left
    if node.kind in (JoinKind.INNER, JoinKind.RIGHT) and any(key <= bound_left for key in left):
        found += right
    if node.kind is not JoinKind.FULL:
        found += [one | other for one in left for other in right]
    if node.kind is JoinKind.INNER:
        for one, other in pairs:
            if one is not None and other is not None:
                # The two columns are equal, so one can replace the other in a key.
                found += [key - {one.name} | {other.name} for key in found if one.name in key]
                found += [key - {other.name} | {one.name} for key in found if other.name in key]
    return _some(found)
