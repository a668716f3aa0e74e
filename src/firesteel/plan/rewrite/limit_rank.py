"""The pass that finds which places of a ROW_NUMBER a filter asks for: with them it is a Top-N, without it cannot run."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.expression import Call, Cast, ColumnRef, Expression, Literal, conjunction, conjuncts
from firesteel.plan.node.relation import Filter, Node, Project, Rank, map_inputs

#: How `n op literal` reads when the literal stands on the left.
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def limit_rank(node: Node) -> Node:
    node = map_inputs(node, limit_rank)
    return _limited(node) if isinstance(node, Filter) else node


def _limited(node: Filter) -> Node:
    project = node.input if isinstance(node.input, Project) else None
    rank = project.input if project is not None else node.input
    if not isinstance(rank, Rank) or rank.number is None or rank.last is not None:
        return node
    held = (
        {field.name: expression for field, expression in zip(project.fields, project.expressions, strict=True)}
        if project is not None
        else {}
    )
    first, last, rest = 1, None, []
    for condition in conjuncts(node.condition):
        places = _places(condition, held, rank.number.name)
        if places is None:
            rest.append(condition)
            continue
        first = max(first, places[0])
        last = places[1] if last is None else min(last, places[1] or last)
    if last is None:
        return node
    limited: Node = replace(rank, first=first, last=max(last, 0))
    if project is not None:
        limited = replace(project, input=limited)
    return replace(node, input=limited, condition=conjunction(rest)) if rest else limited


def _plain(expression: Expression) -> Expression:
    """Without the casts that bring the two sides of a comparison to one type."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _places(condition: Expression, held: dict[str, Expression], number: str) -> tuple[int, int | None] | None:
    """The first and the last place that pass, if the condition is about places and nothing else."""
    if not isinstance(condition, Call) or condition.function not in _MIRRORED or len(condition.args) != 2:
        return None
    left, right = (_plain(one) for one in condition.args)
    operator = condition.function
    if isinstance(left, Literal):
        left, right, operator = right, left, _MIRRORED[operator]
    name = held.get(left.name, left) if isinstance(left, ColumnRef) else left
    if not isinstance(name, ColumnRef) or name.name != number:
        return None
    if not isinstance(right, Literal) or not isinstance(right.value, int):
        return None
    place = right.value
    match operator:
        case "=":
            return place, place
        case "<":
            return 1, place - 1
        case "<=":
            return 1, place
        case ">":
            return place + 1, None
        case _:
            return place, None
