"""Resolves special forms: CASE, CAST, and functions such as EXTRACT and TRIM with words between their arguments."""

from __future__ import annotations

from sqlglot import exp

from firesteel.catalog.cast import explicit_cast
from firesteel.plan.expression import Case, Cast, Expression, Literal
from firesteel.plan.function.signature import to_type
from firesteel.plan.resolve.expression.call import CallResolver, Resolve, word_literal
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import cast_type, span_of
from firesteel.types import Char, DataType, Null


def resolve_case(resolver: CallResolver, node: exp.Case) -> Expression:
    subject = node.this
    branches = []
    for branch in node.args["ifs"]:
        if subject is not None:
            when = resolver.call("=", [subject, branch.this], branch)
            for value in branch.args.get("others") or ():
                when = resolver.built("OR", (when, resolver.call("=", [subject, value], branch)), branch)
        else:
            when = resolver.condition(branch.this)
        branches.append((when, resolver.resolve(branch.args["true"])))
    default = node.args.get("default")
    otherwise = resolver.resolve(default) if default is not None else Literal(None, Null())
    result: DataType = otherwise.type
    for _, then in branches:
        wider = common_type(result, then.type)
        if wider is None:
            raise Mistake(
                f"The branches of this CASE are of types {result.sql} and {then.type.sql}.",
                span_of(node),
                "CAST them to one type.",
            )
        result = wider
    return Case(tuple((when, to_type(then, result)) for when, then in branches), to_type(otherwise, result), result)


def _cast(resolver: CallResolver, node: exp.Cast) -> Expression:
    operand = resolver.resolve(node.this)
    target = cast_type(node.to)
    safe = isinstance(node, exp.TryCast)
    if not explicit_cast(operand.type, target):
        raise Mistake(f"{operand.type.sql} cannot be cast to {target.sql}.", span_of(node))
    return Cast(operand, target.with_nullable(safe or operand.type.nullable), safe)


def _extract(resolver: CallResolver, node: exp.Extract) -> Expression:
    return resolver.built("EXTRACT", (word_literal(node.name), resolver.resolve(node.expression)), node)


def _rounded(resolver: CallResolver, node: exp.Floor | exp.Ceil) -> Expression:
    name = "FLOOR TO" if isinstance(node, exp.Floor) else "CEIL TO"
    return resolver.built(name, (word_literal(node.args["to"].name), resolver.resolve(node.this)), node)


def _trim(resolver: CallResolver, node: exp.Trim) -> Expression:
    side = node.args["position"]
    signs = node.expression
    characters = resolver.resolve(signs) if signs is not None else Literal(" ", Char(1, nullable=False))
    return resolver.built(f"TRIM {side}", (resolver.resolve(node.this), characters), node)


def _position(resolver: CallResolver, node: exp.StrPosition) -> Expression:
    return resolver.call("POSITION", [node.args["substr"], node.this], node)


def _substring(resolver: CallResolver, node: exp.Substring) -> Expression:
    length = node.args.get("length")
    return resolver.call("SUBSTRING", [node.this, node.args["start"], *([length] if length is not None else [])], node)


def _overlay(resolver: CallResolver, node: exp.Overlay) -> Expression:
    parts = (node.this, node.expression, node.args["from_"], node.args.get("for_"))
    return resolver.call("OVERLAY", [part for part in parts if part is not None], node)


SPECIAL_FORMS: dict[type[exp.Expression], Resolve] = {
    exp.Case: resolve_case,
    exp.Cast: _cast,
    exp.Extract: _extract,
    exp.Floor: _rounded,
    exp.Ceil: _rounded,
    exp.Trim: _trim,
    exp.StrPosition: _position,
    exp.Substring: _substring,
    exp.Overlay: _overlay,
}
