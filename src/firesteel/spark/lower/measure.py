"""The signed parts of which an aggregate's result is made: sums, counts, and extremes."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from firesteel.plan.expression import AggregateCall
from firesteel.spark.type import spark_type
from firesteel.types import INTEGER, BigInt, DataType, Decimal, Double

EXTREMES = {"MIN": "min", "MAX": "max"}


@dataclass(frozen=True)
class Measure:
    """The parts of one call: `total` sums values, `number` counts them, `extreme` is the least or greatest."""

    call: AggregateCall
    position: int

    @property
    def total(self) -> str | None:
        return f"__total{self.position}" if self.call.function in ("SUM", "AVG") else None

    @property
    def number(self) -> str | None:
        return f"__number{self.position}" if self.call.function in ("COUNT", "SUM", "AVG") else None

    @property
    def extreme(self) -> str | None:
        return f"__extreme{self.position}" if self.call.function in EXTREMES else None

    @property
    def argument(self) -> DataType:
        return self.call.argument.type if self.call.argument is not None else BigInt()

    @property
    def _wide(self) -> DataType:
        """Returns the widest type of the argument's kind, in which sums are kept."""
        if isinstance(self.argument, Decimal):
            return Decimal(38, self.argument.scale)
        return BigInt() if isinstance(self.argument, INTEGER) else Double()

    @property
    def types(self) -> dict[str, spark.DataType]:
        named: dict[str, spark.DataType] = {}
        if self.total:
            named[self.total] = spark_type(self._wide)
        if self.number:
            named[self.number] = spark.LongType()
        if self.extreme:
            named[self.extreme] = spark_type(self.argument)
        return named

    def parts(self, value: Column, signed: Column) -> dict[str, Column]:
        """Returns what one row adds."""
        parts: dict[str, Column] = {}
        if self.total:
            wide = value.cast(spark_type(self._wide))
            parts[self.total] = F.when(signed < 0, -wide).otherwise(wide).cast(spark_type(self._wide))
        if self.number:
            parts[self.number] = F.when(value.isNotNull(), signed)
        if self.extreme:
            # Retracted rows are NULL here; `check_support` rejects all other plans.
            parts[self.extreme] = F.when(signed > 0, value)
        return parts

    def result(self, total: Column | None, number: Column | None, extreme: Column | None) -> Column:
        wanted = spark_type(self.call.type)
        if extreme is not None:
            return extreme.cast(wanted)
        assert number is not None
        if total is None:
            return F.coalesce(number, F.lit(0)).cast(wanted)
        if self.call.function == "SUM":
            return F.when(number > 0, total).cast(wanted)
        if isinstance(self.argument, INTEGER):
            return F.when(number > 0, F.call_function("div", total, number)).cast(wanted)
        return F.when(number > 0, total / number).cast(wanted)
