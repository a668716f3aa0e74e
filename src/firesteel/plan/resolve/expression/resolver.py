"""Resolves expressions: names are looked up, functions found, types worked out by Flink's rules.

What is not supported is refused here, with its position, never later inside Spark.
"""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import Expression
from firesteel.plan.resolve.expression.call import CallResolver, Resolve
from firesteel.plan.resolve.expression.column import COLUMNS
from firesteel.plan.resolve.expression.function import FUNCTIONS
from firesteel.plan.resolve.expression.literal import LITERALS
from firesteel.plan.resolve.expression.operator import OPERATORS
from firesteel.plan.resolve.expression.special_form import SPECIAL_FORMS
from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.node import span_of

_KINDS: dict[type, Resolve] = {**COLUMNS, **LITERALS, **OPERATORS, **SPECIAL_FORMS, **FUNCTIONS}


class ExpressionResolver(CallResolver):
    """Resolves the expressions of one clause against one scope."""

    def resolve(self, node: exp.Expression) -> Expression:
        if isinstance(node, exp.Query):
            raise Mistake(
                "A query in the place of a value is not supported yet.",
                span_of(node),
                "Write it into FROM as a table of its own, and join it with '='.",
            )
        if isinstance(node, exp.Exists):
            raise Mistake("EXISTS is supported in WHERE only.", span_of(node), "Move it there, or write a LEFT JOIN.")
        for kind in type(node).__mro__:
            if kind in _KINDS:
                return _KINDS[kind](self, node)
        raise Mistake("This expression is not supported yet.", span_of(node))
