"""Resolves functions called in ordinary syntax: Flink's own and those of the script's Python."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import Call, Expression, Literal
from firesteel.plan.function.absent import ABSENT
from firesteel.plan.function.aggregate import find_aggregate
from firesteel.plan.function.python import PythonFunction, bound_function
from firesteel.plan.function.table import OPERATOR_NAMES
from firesteel.plan.resolve.expression.call import CallResolver, Resolve, render_arity, word_literal
from firesteel.plan.resolve.expression.json_clause import JSON_CALLS, json_arguments
from firesteel.plan.resolve.expression.special_form import resolve_case
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.sql.node import span_of, written_name
from firesteel.types import Char, Null

#: The functions that are only allowed in a query with their window in GROUP BY.
_OF_WINDOWS = frozenset(
    f"{window}{part}"
    for window in ("TUMBLE", "HOP", "SESSION")
    for part in ("", "_START", "_END", "_ROWTIME", "_PROCTIME")
)


def _function(resolver: CallResolver, node: exp.Anonymous) -> Expression:
    name = node.name.upper()
    if find_aggregate(name):
        raise Mistake(
            f"'{name}' is an aggregate and cannot stand in {resolver.clause}.",
            span_of(node),
            "Use HAVING to filter groups." if resolver.clause == "WHERE" else None,
        )
    function = bound_function(node)
    if function is not None:
        return _python(resolver, function, node)
    if name == "IF" and len(node.expressions) == 3:
        when, then, otherwise = node.expressions
        return resolve_case(resolver, exp.Case(ifs=[exp.If(this=when, true=then)], default=otherwise))
    if name in OPERATOR_NAMES:
        raise Mistake(f"'{written_name(node)}' is an operator and is not called like a function.", span_of(node))
    if name in ABSENT:
        raise Mistake(f"'{written_name(node)}' is a function of Flink that is not supported yet.", span_of(node))
    if name in _OF_WINDOWS:
        raise Mistake(
            f"'{written_name(node)}' cannot stand in {resolver.clause} here: its window is not in GROUP BY.",
            span_of(node),
            "Write GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE), or FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), …)).",
        )
    if name == "ROW_NUMBER":
        raise Mistake(
            "'ROW_NUMBER' needs OVER (…).", span_of(node), "Write ROW_NUMBER() OVER (PARTITION BY … ORDER BY …)."
        )
    if name in JSON_CALLS:
        return resolver.built(name, json_arguments(name, node, resolver.resolve), node)
    if name in ("TIMESTAMPADD", "TIMESTAMPDIFF") and len(node.expressions) == 3:
        unit, *others = node.expressions
        return resolver.built(name, (word_literal(unit.name), *(resolver.resolve(other) for other in others)), node)
    return resolver.call(name, node.expressions, node)


def _python(resolver: CallResolver, function: PythonFunction, node: exp.Anonymous) -> Expression:
    if function.is_refused:
        return Literal(None, Null())
    given = len(node.expressions)
    if given < function.least or (function.most is not None and given > function.most):
        raise Mistake(
            f"'{written_name(node)}' has {count(given, 'argument')} and takes {render_arity(function.least, function.most)}.",
            span_of(node),
        )
    path = Literal(function.path, Char(len(function.path), nullable=False))
    args = tuple(resolver.resolve(argument) for argument in node.expressions)
    for index, (arg, argument) in enumerate(zip(args, node.expressions, strict=True)):
        annotation = function.misfit(index, arg.type)
        if annotation is not None:
            raise Mistake(
                f"Argument {index + 1} of '{written_name(node)}' is of type {arg.type.sql}, and its annotation is"
                f" '{annotation}'.",
                span_of(argument) or span_of(node),
                "CAST it, or change the annotation.",
            )
    return Call("PYTHON", (path, *args), function.result)


FUNCTIONS: dict[type[exp.Expression], Resolve] = {exp.Anonymous: _function}
