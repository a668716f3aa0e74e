"""Lowers operators: arithmetic, comparisons, logic, patterns, access."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as spark_types

from firesteel.formats.column.null_key import NULL_KEY
from firesteel.plan.expression import Call, Literal
from firesteel.plan.function.similar_to import similar_regex
from firesteel.spark.lower.function import java_double
from firesteel.spark.lower.function.form import Translation, bound, literal, plain, typed
from firesteel.spark.type import spark_type
from firesteel.types import APPROXIMATE, INTEGER, Array, Interval, Map, Row, Time, TimestampLtz

_MICROS_OF_DAY = 86_400_000_000


def micros_of(interval: Column) -> Column:
    """Returns the length of a day-time interval in microseconds."""
    seconds = interval.cast(spark_types.DayTimeIntervalType(3, 3)).cast("decimal(24,6)")
    return (seconds * 1_000_000).cast("bigint")


def shift_time(time: Column, micros: Column) -> Column:
    """Adds to a time of day, wrapping around at midnight."""
    return F.time_from_micros(F.pmod(F.time_to_micros(time) + micros, F.lit(_MICROS_OF_DAY)))


def _sum(call: Call, args: list[Column]) -> Column:
    shift = _shift(call)
    return shift(call, args, 1) if shift else (args[0] + args[1]).cast(spark_type(call.type))


def _difference(call: Call, args: list[Column]) -> Column:
    shift = _shift(call)
    return shift(call, args, -1) if shift else (args[0] - args[1]).cast(spark_type(call.type))


def _shift(call: Call) -> Callable[[Call, list[Column], int], Column] | None:
    """Returns how to add to a time of day, or a length of time to a TIMESTAMP_LTZ, where Spark would add calendar days.
    None for other types.
    """
    if isinstance(call.type, Time):
        return _shifted
    lengths = [arg.type for arg in call.args if isinstance(arg.type, Interval)]
    return _moved if isinstance(call.type, TimestampLtz) and lengths and not lengths[0].months else None


def _moved(call: Call, args: list[Column], sign: int) -> Column:
    first_is_interval = isinstance(call.args[0].type, Interval)
    moment, interval = (args[1], args[0]) if first_is_interval else (args[0], args[1])
    return F.timestamp_micros(F.unix_micros(moment) + micros_of(interval) * sign)


def _shifted(call: Call, args: list[Column], sign: int) -> Column:
    first_is_interval = isinstance(call.args[0].type, Interval)
    time, interval = (args[1], args[0]) if first_is_interval else (args[0], args[1])
    amount = call.args[0 if first_is_interval else 1].type
    if isinstance(amount, Interval) and amount.months:
        return F.when(interval.isNotNull(), time)
    return shift_time(time, micros_of(interval) * sign)


def _divide(call: Call, args: list[Column]) -> Column:
    """Divides integers as integers, as Flink does. A division by zero fails in Spark's ANSI mode, which is on, as in Flink."""
    left, right = args
    target = spark_type(call.type)
    if isinstance(call.type, INTEGER):
        return F.call_function("div", left, right).cast(target)
    if isinstance(call.type, APPROXIMATE):
        return bound(call.args, [left.cast(target), right.cast(target)], java_double.divide).cast(target)
    return (left / right).cast(target)


def remainder(call: Call, args: list[Column]) -> Column:
    left, right = args
    target = spark_type(call.type)
    if isinstance(call.type, APPROXIMATE):
        return bound(call.args, [left, right], java_double.remainder).cast(target)
    return (left % right).cast(target)


def _comparison(
    exact: Callable[[Column, Column], Column], approximate: Callable[[Column, Column], Column]
) -> Translation:
    """Compares with `approximate` if a side can be NaN, otherwise with `exact`."""

    def translate(call: Call, args: list[Column]) -> Column:
        floating = any(isinstance(arg.type, APPROXIMATE) for arg in call.args)
        return approximate(*args) if floating else exact(*args)

    return translate


def _compared(operator: Callable[[Column, Column], Column], *known: int) -> Translation:
    return _comparison(operator, java_double.compare(operator, *known))


def _like(call: Call, args: list[Column]) -> Column:
    """Lowers LIKE. Without an escape character Spark would use a backslash; Flink uses none."""
    pattern, escape = literal(call, 1), literal(call, 2)
    if isinstance(pattern, str):
        return F.like(args[0], F.lit(_spark_pattern(pattern, escape if isinstance(escape, str) else None)))
    if len(args) == 3:
        return F.like(*args)
    return F.like(args[0], F.replace(args[1], F.lit("\\"), F.lit("\\\\")))


def _spark_pattern(pattern: str, escape: str | None) -> str:
    made, signs = "", iter(pattern)
    for sign in signs:
        if sign == escape:
            following = next(signs, "")
            made += f"\\{following}" if following in ("_", "%", "\\") else following
        else:
            made += "\\\\" if sign == "\\" else sign
    return made


def _similar(call: Call, args: list[Column]) -> Column:
    pattern, escape = literal(call, 1), literal(call, 2)
    assert isinstance(pattern, str)
    regex = similar_regex(pattern, escape if isinstance(escape, str) else None)
    return F.rlike(args[0], F.lit(rf"\A(?:{regex})\z"))


def _field(call: Call, args: list[Column]) -> Column:
    name = call.args[1]
    assert isinstance(name, Literal)
    return args[0].getField(str(name.value))


def _item(call: Call, args: list[Column]) -> Column:
    """Lowers access to an element. Arrays count from 1; an index out of range gives NULL."""
    if isinstance(call.args[0].type, Array):
        return F.get(args[0], args[1] - 1)
    return F.try_element_at(args[0], args[1])


def _row(call: Call, args: list[Column]) -> Column:
    assert isinstance(call.type, Row)
    return F.struct(*(arg.alias(field.name) for arg, field in zip(args, call.type.fields, strict=True)))


def _map(call: Call, args: list[Column]) -> Column:
    assert isinstance(call.type, Map)
    if call.type.key.nullable:
        args = [arg if number % 2 else F.coalesce(arg, F.lit(NULL_KEY)) for number, arg in enumerate(args)]
    return F.create_map(*args)


OPERATOR_TRANSLATIONS: dict[str, Translation] = {
    "+": _sum,
    "-": _difference,
    "*": typed(lambda a, b: a * b),
    "/": _divide,
    "%": remainder,
    "=": _compared(lambda a, b: a == b, 0),
    "<>": _comparison(lambda a, b: a != b, java_double.is_different),
    "<": _compared(lambda a, b: a < b, 1),
    "<=": _compared(lambda a, b: a <= b, 1),
    ">": _compared(lambda a, b: a > b, 0),
    ">=": _compared(lambda a, b: a >= b, 0),
    "IN": lambda call, args: args[0].isin(args[1:]),
    "IS NOT DISTINCT FROM": plain(lambda a, b: a.eqNullSafe(b)),
    "AND": plain(lambda a, b: a & b),
    "OR": plain(lambda a, b: a | b),
    "NOT": plain(lambda a: ~a),
    "IS NULL": plain(lambda a: a.isNull()),
    "IS TRUE": plain(lambda a: a.eqNullSafe(F.lit(True))),
    "IS FALSE": plain(lambda a: a.eqNullSafe(F.lit(False))),
    "LIKE": _like,
    "SIMILAR TO": _similar,
    "NEGATIVE": plain(lambda a: -a),
    "||": plain(F.concat),
    "ITEM": _item,
    "FIELD": _field,
    "ARRAY": plain(F.array),
    "MAP": _map,
    "ROW": _row,
}
