"""What a row of the Spark half of the function tables is: a call of the plan and its lowered arguments to a column."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call, Literal
from firesteel.spark.type import spark_type
from firesteel.types import DataType

Spelling = Callable[[Call, list[Column]], Column]


def plain(function: Callable[..., Column]) -> Spelling:
    return lambda call, args: function(*args)


def typed(function: Callable[..., Column]) -> Spelling:
    """Spark may give another type than Flink; the plan's is the right one."""
    return lambda call, args: function(*args).cast(spark_type(call.type))


def spark(name: str) -> Spelling:
    """A function of Spark's by its name in SQL, for those whose Python face wants plain values."""
    return lambda call, args: F.call_function(name, *args)


def literal(call: Call, position: int) -> object:
    """The value of an argument that is a literal; None where it is none."""
    argument = call.args[position] if position < len(call.args) else None
    return argument.value if isinstance(argument, Literal) else None


def nothing(data_type: DataType) -> Column:
    return F.lit(None).cast(spark_type(data_type))


def when_all(args: list[Column], value: Column) -> Column:
    """NULL when one of the arguments is, for what would not notice by itself."""
    known = args[0].isNotNull()
    for arg in args[1:]:
        known = known & arg.isNotNull()
    return F.when(known, value)


def once(value: Column, build: Callable[[Column], Column]) -> Column:
    """What `build` makes of a value, however often it names it: as a column, each name would repeat the whole of its expression,
    and those of an expression inside another one multiply.
    """
    return F.transform(F.array(value), build)[0]
