"""Lowers the functions over numbers, with Java's results at the edges."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal as PythonDecimal
from math import e, pi

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call
from firesteel.spark.lower.function import java_double
from firesteel.spark.lower.function.form import Translation, literal, plain, typed, when_all
from firesteel.spark.lower.function.operator import remainder
from firesteel.spark.type import spark_type
from firesteel.types import APPROXIMATE, INTEGER, Decimal

#: From here on every DOUBLE is a whole number, which soon exceeds BIGINT.
_ALL_WHOLE = 2.0**53


def _whole(function: Callable[[Column], Column]) -> Translation:
    """Lowers FLOOR and CEIL of a DOUBLE. Spark's go through BIGINT, which does not hold every DOUBLE."""

    def translate(call: Call, args: list[Column]) -> Column:
        number, target = args[0], spark_type(call.type)
        if isinstance(call.type, INTEGER):
            return number
        if not isinstance(call.type, APPROXIMATE):
            return function(number).cast(target)
        return F.when(F.isnan(number) | (F.abs(number) >= _ALL_WHOLE), number).otherwise(function(number).cast(target))

    return translate


def _double(function: Callable[..., Column]) -> Translation:
    return lambda call, args: function(*(arg.cast("double") for arg in args))


def _log(number: Column) -> Column:
    """Computes Java's logarithm: minus infinity for 0 and NaN for a negative number, for which Spark's gives NULL."""
    return _logarithm(F.ln)(number)


def _logarithm(function: Callable[[Column], Column]) -> Callable[[Column], Column]:
    def compute(number: Column) -> Column:
        edge = F.when(number == 0, F.lit(float("-inf"))).otherwise(F.lit(float("nan")))
        return when_all([number], F.when((number > 0) | F.isnan(number), function(number)).otherwise(edge))

    return compute


def _round(call: Call, args: list[Column]) -> Column:
    digits = literal(call, 1) if len(args) == 2 else 0
    if not isinstance(digits, int):
        return F.lit(None).cast(spark_type(call.type))
    return F.round(args[0], digits).cast(spark_type(call.type))


def _truncate(call: Call, args: list[Column]) -> Column:
    """Lowers TRUNCATE: subtracts the remainder of a division by a power of ten. A floating-point number goes through
    DECIMAL(38, 18).
    """
    number, digits = args[0], literal(call, 1) if len(args) == 2 else 0
    target = spark_type(call.type)
    if not isinstance(digits, int):
        return F.lit(None).cast(target)
    given = call.args[0].type
    if isinstance(given, INTEGER) and digits >= 0:
        return number
    if isinstance(given, Decimal) and digits >= given.scale:
        return number.cast(target)
    if isinstance(given, APPROXIMATE):
        number = number.cast("decimal(38,18)")
    step = F.lit(PythonDecimal(1).scaleb(-digits)) if digits >= 0 else F.lit(10**-digits)
    return (number - number % step).cast(target)


def _random(call: Call, args: list[Column]) -> Column:
    seed = literal(call, 0)
    return F.rand(seed) if isinstance(seed, int) else F.rand()


def _random_integer(call: Call, args: list[Column]) -> Column:
    seed = literal(call, 0) if len(args) == 2 else None
    random = F.rand(seed) if isinstance(seed, int) else F.rand()
    return F.floor(random * args[-1]).cast("int")


NUMERIC_TRANSLATIONS: dict[str, Translation] = {
    "ABS": plain(F.abs),
    "FLOOR": _whole(F.floor),
    "CEIL": _whole(F.ceil),
    "MOD": remainder,
    "SIGN": typed(F.signum),
    "ROUND": _round,
    "TRUNCATE": _truncate,
    "ACOS": _double(F.acos),
    "ASIN": _double(F.asin),
    "ATAN": _double(F.atan),
    "ATAN2": _double(F.atan2),
    "COS": _double(F.cos),
    "COSH": _double(F.cosh),
    "COT": _double(F.cot),
    "DEGREES": _double(F.degrees),
    "EXP": _double(F.exp),
    "LN": _double(_log),
    "LOG": _double(lambda *args: _log(args[0]) if len(args) == 1 else java_double.divide(_log(args[1]), _log(args[0]))),
    "LOG2": _double(lambda number: _log(number) / _log(F.lit(2.0))),
    "LOG10": _double(_logarithm(F.log10)),
    "POWER": _double(F.pow),
    "RADIANS": _double(F.radians),
    "SIN": _double(F.sin),
    "SINH": _double(F.sinh),
    "SQRT": _double(lambda number: F.pow(number, F.lit(0.5))),
    "TAN": _double(F.tan),
    "TANH": _double(F.tanh),
    "E": lambda call, args: F.lit(e),
    "PI": lambda call, args: F.lit(pi),
    "RAND": _random,
    "RAND_INTEGER": _random_integer,
}
