"""Calls that give something else when they are asked again."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import calls_in
from firesteel.plan.node.relation import Node

#: The time of a batch is kept with it, so it is none of them.
RANDOM = frozenset({"RAND", "RAND_INTEGER", "UUID"})


def calls_below(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """The functions among `wanted` that a plan calls, its sources first."""
    for child in node.inputs:
        yield from calls_below(child, wanted)
    yield from calls_of(node, wanted)


def calls_of(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """Those that the node itself calls."""
    for expression in node.expressions:
        for call in calls_in(expression, wanted):
            yield call.function
