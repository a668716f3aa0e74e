"""Resolves operators: arithmetic, comparisons, AND and OR, patterns, access to elements, and constructors of collections."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import Call, Expression
from firesteel.plan.resolve.expression.call import CallResolver, Resolve, word_literal
from firesteel.plan.resolve.expression.literal import number_literal
from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.node import span_of

_BINARY: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "AND",
    exp.Or: "OR",
    exp.DPipe: "||",
}


def _binary(resolver: CallResolver, node: exp.Expression) -> Expression:
    function = next(name for kind, name in _BINARY.items() if isinstance(node, kind))
    return resolver.call(function, [node.this, node.expression], node)


def _not(resolver: CallResolver, node: exp.Not) -> Expression:
    return resolver.call("NOT", [node.this], node)


def _paren(resolver: CallResolver, node: exp.Paren) -> Expression:
    return resolver.resolve(node.this)


def _neg(resolver: CallResolver, node: exp.Neg) -> Expression:
    operand = node.this
    if isinstance(operand, exp.Literal) and not operand.is_string:
        return number_literal(f"-{operand.this}", span_of(node))
    return resolver.call("NEGATIVE", [operand], node)


def _is(resolver: CallResolver, node: exp.Is) -> Expression:
    right = node.expression
    if isinstance(right, exp.Null):
        return resolver.call("IS NULL", [node.this], node)
    if isinstance(right, exp.Boolean):
        return resolver.call("IS TRUE" if right.this else "IS FALSE", [node.this], node)
    if isinstance(right, exp.JSON):
        return resolver.built("IS JSON", (resolver.resolve(node.this), word_literal(right.this or "VALUE")), node)
    raise Mistake("This expression is not supported yet.", span_of(node))


def _null_safe(resolver: CallResolver, node: exp.NullSafeEQ) -> Expression:
    return resolver.call("IS NOT DISTINCT FROM", [node.this, node.expression], node)


def _null_unsafe(resolver: CallResolver, node: exp.NullSafeNEQ) -> Expression:
    same = resolver.call("IS NOT DISTINCT FROM", [node.this, node.expression], node)
    return Call("NOT", (same,), same.type)


def _between(resolver: CallResolver, node: exp.Between) -> Expression:
    value, low, high = (resolver.resolve(part) for part in (node.this, node.args["low"], node.args["high"]))
    upwards = _within(resolver, value, low, high, node)
    if not node.args.get("symmetric"):
        return upwards
    return resolver.built("OR", (upwards, _within(resolver, value, high, low, node)), node)


def _within(
    resolver: CallResolver, value: Expression, low: Expression, high: Expression, node: exp.Expression
) -> Expression:
    above, below = resolver.built(">=", (value, low), node), resolver.built("<=", (value, high), node)
    return resolver.built("AND", (above, below), node)


def _in(resolver: CallResolver, node: exp.In) -> Expression:
    if node.args.get("query") is not None or not node.expressions:
        raise Mistake(
            "IN with a query is supported as a condition of its own in WHERE only.",
            span_of(node),
            "List the values, or write a join.",
        )
    return resolver.call("IN", [node.this, *node.expressions], node)


def _like(resolver: CallResolver, node: exp.Like) -> Expression:
    return resolver.call("LIKE", [node.this, node.expression], node)


def _similar(resolver: CallResolver, node: exp.SimilarTo) -> Expression:
    return resolver.call("SIMILAR TO", [node.this, node.expression], node)


def _escape(resolver: CallResolver, node: exp.Escape) -> Expression:
    pattern = node.this
    name = "SIMILAR TO" if isinstance(pattern, exp.SimilarTo) else "LIKE"
    return resolver.call(name, [pattern.this, pattern.expression, node.expression], node)


def _bracket(resolver: CallResolver, node: exp.Bracket) -> Expression:
    return resolver.call("ITEM", [node.this, *node.expressions], node)


def _tuple(resolver: CallResolver, node: exp.Tuple) -> Expression:
    return resolver.call("ROW", node.expressions, node)


def _array(resolver: CallResolver, node: exp.Array) -> Expression:
    return resolver.call("ARRAY", node.expressions, node)


def _map(resolver: CallResolver, node: exp.Map) -> Expression:
    pairs = zip(node.args["keys"].expressions, node.args["values"].expressions, strict=True)
    return resolver.call("MAP", [part for pair in pairs for part in pair], node)


OPERATORS: dict[type[exp.Expression], Resolve] = {
    **dict.fromkeys(_BINARY, _binary),
    exp.Not: _not,
    exp.Paren: _paren,
    exp.Neg: _neg,
    exp.Is: _is,
    exp.NullSafeEQ: _null_safe,
    exp.NullSafeNEQ: _null_unsafe,
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like,
    exp.SimilarTo: _similar,
    exp.Escape: _escape,
    exp.Bracket: _bracket,
    exp.Array: _array,
    exp.Map: _map,
    exp.Tuple: _tuple,
}
