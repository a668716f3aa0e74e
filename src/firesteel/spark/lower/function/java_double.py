"""Computes with DOUBLE and FLOAT as Java does: nothing fails, and NaN equals nothing. Spark's ANSI mode would fail."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.errors import JobError
from firesteel.spark.failure import carry
from firesteel.spark.lower.function.form import when_all
from firesteel.spark.type import spark_type
from firesteel.types import BigInt, DataType, Decimal, Int, SmallInt, TinyInt

_BOUNDS: dict[type[DataType], float] = {Int: 2.0**31 - 1, BigInt: 2.0**63}
_NARROW: dict[type[DataType], int] = {TinyInt: 2**7, SmallInt: 2**15}


def divide(left: Column, right: Column) -> Column:
    """Divides as Java does: a division by zero gives infinity with the sign of both, or NaN."""
    # The power tells the two zeros apart.
    return F.when(right == 0, left * F.pow(right, F.lit(-1))).otherwise(left / right)


def remainder(left: Column, right: Column) -> Column:
    return F.when(right == 0, when_all([left], F.lit(float("nan")))).otherwise(left % right)


def to_whole(number: Column, target: DataType) -> Column:
    """Casts to a whole number, towards zero. A value out of range becomes the nearest bound, NaN becomes 0. The narrow
    types take the lowest bits of an INT.
    """
    half = _NARROW.get(type(target))
    bound = _BOUNDS[Int if half is not None else type(target)]
    number = number.cast("double")
    bounded = F.greatest(F.least(number, F.lit(bound)), F.lit(-bound - 1 if bound < 2.0**63 else -bound))
    whole = F.when(F.isnan(number), F.lit(0.0)).otherwise(bounded).cast("bigint")
    if half is not None:
        whole = F.pmod(whole + half, F.lit(2 * half)) - half
    return when_all([number], whole.cast(spark_type(target)))


def to_decimal(number: Column, target: Decimal, safe: bool) -> Column:
    """Casts to a DECIMAL, with NULL if it does not fit. NaN and the infinities fail, unless the cast is `safe`."""
    wanted = spark_type(target)
    fitted = number.try_cast(wanted)
    if safe:
        return fitted
    missing = JobError(
        f"NaN and the infinities cannot be cast to {target.with_nullable(True)}.",
        hint="TRY_CAST makes them NULL.",
    )
    failed = F.raise_error(F.lit(str(carry(missing)))).cast(wanted)
    return F.when(F.isnan(number) | (F.abs(number) == float("inf")), failed).otherwise(fitted)


def compare(operator: Callable[[Column, Column], Column], *known: int) -> Callable[[Column, Column], Column]:
    """Compares as Java does. Spark sorts NaN above all numbers and makes it equal to itself; `known` are the sides that
    must then not be NaN.
    """

    def translate(left: Column, right: Column) -> Column:
        made = operator(left, right)
        for side in known:
            made = made & ~F.isnan((left, right)[side])
        return made

    return translate


def is_different(left: Column, right: Column) -> Column:
    return (left != right) | (F.isnan(left) & right.isNotNull())
