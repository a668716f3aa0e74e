"""Defines how Spark computes a function: a callable from the plan's call and its lowered arguments to a column."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call, ColumnRef, Expression, Literal
from firesteel.spark.type import spark_type
from firesteel.types import DataType

Translation = Callable[[Call, list[Column]], Column]


def plain(function: Callable[..., Column]) -> Translation:
    return lambda call, args: function(*args)


def typed(function: Callable[..., Column]) -> Translation:
    """Casts the result to the plan's type, since Spark's may differ."""
    return lambda call, args: function(*args).cast(spark_type(call.type))


def spark(name: str) -> Translation:
    """Calls a function of Spark's by its SQL name, for those whose Python function takes plain values only."""
    return lambda call, args: F.call_function(name, *args)


def literal(call: Call, position: int) -> object:
    """Returns the value of an argument that is a literal; otherwise None."""
    argument = call.args[position] if position < len(call.args) else None
    return argument.value if isinstance(argument, Literal) else None


def nothing(data_type: DataType) -> Column:
    return F.lit(None).cast(spark_type(data_type))


def when_all(args: list[Column], value: Column) -> Column:
    """Returns NULL if one of the arguments is NULL, for expressions that would not give NULL by themselves."""
    known = args[0].isNotNull()
    for arg in args[1:]:
        known = known & arg.isNotNull()
    return F.when(known, value)


def once(value: Column, build: Callable[[Column], Column]) -> Column:
    """Binds a value, so that `build` can use it more than once. A column that is used twice repeats its whole
    expression, and nested repetitions multiply.
    """
    return F.transform(F.array(value), build)[0]


def bound(operands: Sequence[Expression], values: Sequence[Column], build: Callable[..., Column]) -> Column:
    """Computes `build` of the operands' values. Binds those that are more than a column or a literal, so that `build` can
    use each more than once.
    """
    long = [number for number, operand in enumerate(operands) if not isinstance(operand, ColumnRef | Literal)]
    if not long:
        return build(*values)

    def compute(held: Column) -> Column:
        return build(*(held[f"v{number}"] if number in long else value for number, value in enumerate(values)))

    return once(F.struct(*(values[number].alias(f"v{number}") for number in long)), compute)
