"""The parts of a WHERE clause, as they are written: what AND connects, and IN and EXISTS without their NOT."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.node.join_kind import JoinKind


def written_conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    """The parts of a condition that all have to hold, as they are written."""
    match condition:
        case exp.And():
            return [*written_conjuncts(condition.this), *written_conjuncts(condition.expression)]
        case exp.Paren():
            return written_conjuncts(condition.this)
        case _:
            return [condition]


def semi_or_anti(part: exp.Expression) -> tuple[JoinKind, exp.Expression]:
    """What a part of a condition asks for, without NOT and parentheses: those that have a partner, or those that have none."""
    kind = JoinKind.SEMI
    while isinstance(part, exp.Not | exp.Paren):
        if isinstance(part, exp.Not):
            kind = JoinKind.ANTI if kind is JoinKind.SEMI else JoinKind.SEMI
        part = part.this
    return kind, part
