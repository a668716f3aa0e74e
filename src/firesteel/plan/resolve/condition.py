"""Splits a WHERE clause into its conditions, as they are written."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.node.join_kind import JoinKind


def written_conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    """Splits a condition at its top-level ANDs."""
    match condition:
        case exp.And():
            return [*written_conjuncts(condition.this), *written_conjuncts(condition.expression)]
        case exp.Paren():
            return written_conjuncts(condition.this)
        case _:
            return [condition]


def semi_or_anti(part: exp.Expression) -> tuple[JoinKind, exp.Expression]:
    """Removes NOT and parentheses from an IN or EXISTS: a semi join, or with an odd number of NOTs an anti join."""
    kind = JoinKind.SEMI
    while isinstance(part, exp.Not | exp.Paren):
        if isinstance(part, exp.Not):
            kind = JoinKind.ANTI if kind is JoinKind.SEMI else JoinKind.SEMI
        part = part.this
    return kind, part
