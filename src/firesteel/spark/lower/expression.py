"""Lowers a plan's expressions to Spark columns. No text from the script becomes part of SQL text."""

from __future__ import annotations

import datetime

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.plan.expression import Call, Case, Cast, ColumnRef, Expression, Literal
from firesteel.spark.column import column
from firesteel.spark.lower.cast import lower_cast
from firesteel.spark.lower.function.form import bound
from firesteel.spark.lower.function.table import TRANSLATIONS
from firesteel.spark.type import spark_type
from firesteel.types import APPROXIMATE, INTEGER, Decimal, Interval


def lower_expression(expression: Expression) -> Column:
    match expression:
        case ColumnRef(name=name):
            return column(name)
        case Literal():
            return _literal(expression)
        case Cast(operand=operand, type=target, safe=safe):
            value = lower_expression(operand)
            if isinstance(operand.type, APPROXIMATE) and isinstance(target, (*INTEGER, Decimal)):
                return bound([operand], [value], lambda held: lower_cast(held, operand.type, target, safe))
            return lower_cast(value, operand.type, target, safe)
        case Case(branches=branches, otherwise=otherwise):
            chain = F
            for when, then in branches:
                chain = chain.when(lower_expression(when), lower_expression(then))  # type: ignore[assignment]
            return chain.otherwise(lower_expression(otherwise))  # type: ignore[attr-defined,no-any-return]
        case Call(function=function, args=args):
            return TRANSLATIONS[function](expression, [lower_expression(arg) for arg in args])


def _literal(literal: Literal) -> Column:
    value, data_type = literal.value, literal.type
    if isinstance(data_type, Interval) and isinstance(value, int):
        if data_type.months:
            return F.make_ym_interval(F.lit(0), F.lit(value))
        return F.lit(datetime.timedelta(microseconds=value))
    return F.lit(value).cast(spark_type(data_type))
