"""Says which conditions about pairs of rows a join on the state engine can decide, and what each side computes for them.

A part of a condition that reads one side only is any expression, and is computed with that side's row. What is left compares such
parts, or combines conditions.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.expression import Call, Expression, column_refs
from firesteel.types import (
    CHARACTER,
    NUMERIC,
    Binary,
    Boolean,
    DataType,
    Date,
    Time,
    Timestamp,
    TimestampLtz,
    Varbinary,
)

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM")
COMBINATIONS = ("AND", "OR", "NOT", "IS NULL", "IS TRUE", "IS FALSE")
_COMPARED = (*NUMERIC, *CHARACTER, Binary, Varbinary, Date, Time, Timestamp, TimestampLtz)

#: A part that reads one side, or none: the number of that side, and the expression.
Part = tuple[int, Expression]


def pair_condition_parts(condition: Expression, left: frozenset[str], right: frozenset[str]) -> Iterator[Part | None]:
    """Gives the greatest parts that read one side only; None in place of what cannot be decided about pairs."""
    read = {ref.name for ref in column_refs(condition)}
    if read <= left:
        yield 0, condition
    elif read <= right:
        yield 1, condition
    elif isinstance(condition, Call) and condition.function in COMBINATIONS:
        for one in condition.args:
            yield from pair_condition_parts(one, left, right) if isinstance(one.type, Boolean) else [None]
    elif isinstance(condition, Call) and condition.function in COMPARISONS and _is_compared(*condition.args):
        for one in condition.args:
            names = {ref.name for ref in column_refs(one)}
            yield (0, one) if names <= left else (1, one) if names <= right else None
    else:
        yield None


def is_pair_condition(condition: Expression, left: frozenset[str], right: frozenset[str]) -> bool:
    return None not in pair_condition_parts(condition, left, right)


def _is_compared(one: Expression, other: Expression) -> bool:
    return all(isinstance(part.type, _COMPARED) for part in (one, other)) and _same(one.type, other.type)


def _same(one: DataType, other: DataType) -> bool:
    if isinstance(one, CHARACTER) or isinstance(other, CHARACTER):
        return isinstance(one, CHARACTER) and isinstance(other, CHARACTER)
    return one.with_nullable(True) == other.with_nullable(True)
