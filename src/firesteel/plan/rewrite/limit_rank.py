"""Pass: move the limits of a filter on ROW_NUMBER into the Rank below it, which makes it a Top-N."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.expression import Call, Cast, ColumnRef, Expression, Literal, conjunction, conjuncts
from firesteel.plan.node.relation import Filter, Node, Project, Rank, map_inputs

#: The operator of `literal op number` when its sides are swapped.
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def limit_rank(node: Node) -> Node:
    """Gives every Rank its limits. A Rank without a limit cannot run."""
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
        limits = _limits(condition, held, rank.number.name)
        if limits is None:
            rest.append(condition)
            continue
        first = max(first, limits[0])
        last = limits[1] if last is None else min(last, limits[1] or last)
    if last is None:
        return node
    limited: Node = replace(rank, first=first, last=max(last, 0))
    if project is not None:
        limited = replace(project, input=limited)
    return replace(node, input=limited, condition=conjunction(rest)) if rest else limited


def _plain(expression: Expression) -> Expression:
    """Removes the casts that bring the two sides of a comparison to one type."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def _limits(condition: Expression, held: dict[str, Expression], number: str) -> tuple[int, int | None] | None:
    """Returns the first and the last row number that pass, if the condition compares the row number with a literal."""
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
    limit = right.value
    match operator:
        case "=":
            return limit, limit
        case "<":
            return 1, limit - 1
        case "<=":
            return 1, limit
        case ">":
            return limit + 1, None
        case _:
            return limit, None
