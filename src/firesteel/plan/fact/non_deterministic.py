"""Calls that give something else when they are asked again."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import Call, Expression, children
from firesteel.plan.node.relation import Filter, Node, Project

#: The time of a batch is kept with it, so it is none of them.
RANDOM = frozenset({"RAND", "RAND_INTEGER", "UUID"})


def calls_below(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """The functions among `wanted` that a plan calls, its sources first."""
    for child in node.inputs:
        yield from calls_below(child, wanted)
    yield from calls_of(node, wanted)


def calls_of(node: Node, wanted: frozenset[str]) -> Iterator[str]:
    """Those that the node itself calls."""
    match node:
        case Project(expressions=expressions):
            for expression in expressions:
                yield from _calls_in(expression, wanted)
        case Filter(condition=condition):
            yield from _calls_in(condition, wanted)


def _calls_in(expression: Expression, wanted: frozenset[str]) -> Iterator[str]:
    if isinstance(expression, Call) and expression.function in wanted:
        yield expression.function
    for child in children(expression):
        yield from _calls_in(child, wanted)
