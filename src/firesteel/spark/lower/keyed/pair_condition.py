"""A condition about pairs of rows, decided on columns of Arrow: what reads one side only has been computed before by Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.plan.expression import Call, ColumnRef, Expression
from firesteel.state.order import Bools

_COMPARISONS: Mapping[str, Callable[[pa.Array, pa.Array], pa.Array]] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "IS NOT DISTINCT FROM": lambda one, other: pc.or_(
        pc.and_(one.is_null(), other.is_null()), pc.fill_null(pc.equal(one, other), False)
    ),
    # Of Kleene: FALSE AND NULL is FALSE.
    "AND": pc.and_kleene,
    "OR": pc.or_kleene,
}
_TESTS: Mapping[str, Callable[[pa.Array], pa.Array]] = {
    "NOT": pc.invert,
    "IS NULL": pc.is_null,
    "IS TRUE": lambda one: pc.fill_null(one, False),
    "IS FALSE": lambda one: pc.invert(pc.fill_null(one, True)),
}


@dataclass(frozen=True)
class PairCondition:
    """`expression` reads columns of both sides, whose names differ. NULL is no match."""

    expression: Expression

    def __call__(self, left: pa.RecordBatch, right: pa.RecordBatch) -> Bools:
        columns = dict(zip(left.schema.names, left.columns, strict=True))
        columns |= dict(zip(right.schema.names, right.columns, strict=True))
        marks: Bools = pc.fill_null(_value(self.expression, columns), False).to_numpy(zero_copy_only=False)
        return marks


def _value(expression: Expression, columns: Mapping[str, pa.Array]) -> pa.Array:
    if isinstance(expression, ColumnRef):
        return columns[expression.name]
    assert isinstance(expression, Call)
    args = [_value(one, columns) for one in expression.args]
    if len(args) == 1:
        return _TESTS[expression.function](*args)
    return _COMPARISONS[expression.function](*args)
