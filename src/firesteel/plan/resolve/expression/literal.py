"""Resolves literals: texts, numbers, bytes, booleans, NULL and intervals."""

from __future__ import annotations

from sqlglot import exp

from firesteel.errors import Span
from firesteel.plan.expression import Expression, Literal
from firesteel.plan.function.interval import interval_value
from firesteel.plan.resolve.expression.call import CallResolver, Resolve
from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.node import span_of
from firesteel.types import BigInt, Binary, Boolean, Char, Decimal, Double, Int, Interval, Null


def _literal(resolver: CallResolver, node: exp.Literal) -> Expression:
    if node.is_string:
        return Literal(node.this, Char(max(1, len(node.this)), nullable=False))
    return number_literal(node.this, span_of(node))


def _hexadecimal(resolver: CallResolver, node: exp.HexString) -> Expression:
    value = bytes.fromhex(node.this)
    return Literal(value, Binary(max(1, len(value)), nullable=False))


def _boolean(resolver: CallResolver, node: exp.Boolean) -> Expression:
    return Literal(bool(node.this), Boolean(nullable=False))


def _null(resolver: CallResolver, node: exp.Null) -> Expression:
    return Literal(None, Null())


def _interval(resolver: CallResolver, node: exp.Interval) -> Expression:
    unit = node.args["unit"]
    first, last = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit, unit)
    value, months = interval_value(node.this.this, first.name.upper(), last.name.upper())
    return Literal(value, Interval(months=months, nullable=False))


def number_literal(text: str, span: Span | None) -> Literal:
    """Makes a number of the type that Flink gives it: INT, BIGINT or DECIMAL; DOUBLE if it has an exponent."""
    if "e" in text.lower():
        return Literal(float(text), Double(nullable=False))
    # Python refuses to read more than 4300 digits; 20 are more than BIGINT has.
    if "." not in text and len(text) <= 20:
        value = int(text)
        if -(2**31) <= value < 2**31:
            return Literal(value, Int(nullable=False))
        if -(2**63) <= value < 2**63:
            return Literal(value, BigInt(nullable=False))
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    scale = len(text.partition(".")[2])
    precision = max(len(digits), scale, 1)
    if precision > 38:
        raise Mistake(f"'{text}' has more than the 38 digits a DECIMAL can hold.", span)
    return Literal(text, Decimal(precision, scale, nullable=False))


LITERALS: dict[type[exp.Expression], Resolve] = {
    exp.Literal: _literal,
    exp.HexString: _hexadecimal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Interval: _interval,
}
