"""Finds calls of non-deterministic functions: their values differ when a batch runs again."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import calls_in
from firesteel.plan.node.relation import Node

#: Functions of the current time are not among them: a batch that runs again has the time of its first run.
RANDOM = frozenset({"RAND", "RAND_INTEGER", "UUID"})


def calls_below(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """Finds the functions among `wanted` that a plan calls, sources first."""
    for child in node.inputs:
        yield from calls_below(child, wanted)
    yield from calls_of(node, wanted)


def calls_of(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """Finds the functions among `wanted` that the node itself calls."""
    for expression in node.expressions:
        for call in calls_in(expression, wanted):
            yield call.function
