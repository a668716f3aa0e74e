"""How Spark computes each function of `plan/function.py`: the other half of its row."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call, Literal
from firesteel.spark.type import spark_type
from firesteel.types import INTEGER, Row

Spelling = Callable[[Call, list[Column]], Column]


def _plain(function: Callable[..., Column]) -> Spelling:
    return lambda call, args: function(*args)


def _typed(function: Callable[..., Column]) -> Spelling:
    """Spark may give another type than Flink; the plan's is the right one."""
    return lambda call, args: function(*args).cast(spark_type(call.type))


def _divide(call: Call, args: list[Column]) -> Column:
    """Flink divides integers as integers. Spark's ANSI mode, which is on, fails on a division by zero, as Flink does."""
    left, right = args
    if isinstance(call.type, INTEGER):
        return F.call_function("div", left, right).cast(spark_type(call.type))
    return (left / right).cast(spark_type(call.type))


def _like(call: Call, args: list[Column]) -> Column:
    return F.like(*args)


def _field(call: Call, args: list[Column]) -> Column:
    name = call.args[1]
    assert isinstance(name, Literal)
    return args[0].getField(str(name.value))


def _row(call: Call, args: list[Column]) -> Column:
    assert isinstance(call.type, Row)
    return F.struct(*(arg.alias(field.name) for arg, field in zip(args, call.type.fields, strict=True)))


def _element(call: Call, args: list[Column]) -> Column:
    """Arrays count from 1; what is out of range is NULL."""
    return F.try_element_at(args[0], args[1])


def _substring(call: Call, args: list[Column]) -> Column:
    return F.substring(args[0], args[1], args[2]) if len(args) == 3 else F.substr(args[0], args[1])


SPELLINGS: dict[str, Spelling] = {
    "+": _typed(lambda a, b: a + b),
    "-": _typed(lambda a, b: a - b),
    "*": _typed(lambda a, b: a * b),
    "/": _divide,
    "%": _typed(lambda a, b: a % b),
    "MOD": _typed(lambda a, b: a % b),
    "=": _plain(lambda a, b: a == b),
    "<>": _plain(lambda a, b: a != b),
    "<": _plain(lambda a, b: a < b),
    "<=": _plain(lambda a, b: a <= b),
    ">": _plain(lambda a, b: a > b),
    ">=": _plain(lambda a, b: a >= b),
    "IN": lambda call, args: args[0].isin(args[1:]),
    "IS NOT DISTINCT FROM": _plain(lambda a, b: a.eqNullSafe(b)),
    "AND": _plain(lambda a, b: a & b),
    "OR": _plain(lambda a, b: a | b),
    "NOT": _plain(lambda a: ~a),
    "IS NULL": _plain(lambda a: a.isNull()),
    "IS TRUE": _plain(lambda a: a.eqNullSafe(F.lit(True))),
    "IS FALSE": _plain(lambda a: a.eqNullSafe(F.lit(False))),
    "LIKE": _like,
    "NEGATIVE": _plain(lambda a: -a),
    "ABS": _plain(F.abs),
    "FLOOR": _typed(F.floor),
    "CEIL": _typed(F.ceil),
    "||": _plain(F.concat),
    "CONCAT": _plain(F.concat),
    "UPPER": _plain(F.upper),
    "LOWER": _plain(F.lower),
    "TRIM": _plain(F.trim),
    "LTRIM": _plain(F.ltrim),
    "RTRIM": _plain(F.rtrim),
    "REPLACE": _plain(F.replace),
    "REVERSE": _plain(F.reverse),
    "SUBSTRING": _substring,
    "CHAR_LENGTH": _plain(F.char_length),
    "COALESCE": _plain(F.coalesce),
    "IFNULL": _plain(F.coalesce),
    "NULLIF": _plain(F.nullif),
    "ELEMENT": _element,
    "CARDINALITY": _plain(F.size),
    "MD5": _plain(F.md5),
    "FIELD": _field,
    "ARRAY": _plain(F.array),
    "MAP": _plain(F.create_map),
    "ROW": _row,
}
