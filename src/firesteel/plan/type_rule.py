"""Flink's rules for the types of operators, and for the common type of two types. Casts are in `catalog/cast.py`.

>>> str(common_type(Int(), BigInt()))
'BIGINT'
>>> str(arithmetic_type("/", Decimal(10, 2), Decimal(5, 1)))
'DECIMAL(17, 8)'
"""

from __future__ import annotations

from firesteel.types import (
    APPROXIMATE,
    BINARY,
    CHARACTER,
    INTEGER,
    NUMERIC,
    TEMPORAL,
    Array,
    BigInt,
    Boolean,
    Char,
    DataType,
    Date,
    Decimal,
    Double,
    Field,
    Float,
    Int,
    Interval,
    Map,
    Null,
    Row,
    SmallInt,
    Time,
    Timestamp,
    TimestampLtz,
    TinyInt,
    Varbinary,
    Varchar,
)

#: The precision that an integer type has in DECIMAL arithmetic.
_DIGITS = {TinyInt: 3, SmallInt: 5, Int: 10, BigInt: 19}

_MAX_PRECISION = 38


def as_decimal(data_type: DataType) -> Decimal:
    if isinstance(data_type, Decimal):
        return data_type
    return Decimal(_DIGITS[type(data_type)], 0, nullable=data_type.nullable)


def _fit(precision: int, scale: int, nullable: bool) -> Decimal:
    """Makes a DECIMAL; above 38 digits it loses digits of its scale, down to six."""
    if precision > _MAX_PRECISION:
        whole = precision - scale
        scale = max(_MAX_PRECISION - whole, min(scale, 6))
        precision = _MAX_PRECISION
    return Decimal(precision, scale, nullable=nullable)


def common_type(left: DataType, right: DataType) -> DataType | None:
    """Returns the narrowest type that holds both, for CASE, COALESCE, IN, UNION ALL and comparisons; None if there is none."""
    nullable = left.nullable or right.nullable
    match left, right:
        case Null(), _:
            return right.with_nullable(True)
        case _, Null():
            return left.with_nullable(True)
    if type(left) is type(right) and left.with_nullable(nullable) == right.with_nullable(nullable):
        return left.with_nullable(nullable)
    if isinstance(left, NUMERIC) and isinstance(right, NUMERIC):
        return _common_number(left, right).with_nullable(nullable)
    if isinstance(left, CHARACTER) and isinstance(right, CHARACTER):
        length = max(left.length, right.length)
        both_fixed = isinstance(left, Char) and isinstance(right, Char) and left.length == right.length
        return Char(length, nullable=nullable) if both_fixed else Varchar(length, nullable=nullable)
    if isinstance(left, BINARY) and isinstance(right, BINARY):
        return Varbinary(max(left.length, right.length), nullable=nullable)
    return _common_other(left, right, nullable)


def _common_number(left: DataType, right: DataType) -> DataType:
    if isinstance(left, APPROXIMATE) or isinstance(right, APPROXIMATE):
        both_float = all(isinstance(side, Float | TinyInt | SmallInt | Int | BigInt) for side in (left, right))
        return Float() if both_float else Double()
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        one, two = as_decimal(left), as_decimal(right)
        scale = max(one.scale, two.scale)
        whole = max(one.precision - one.scale, two.precision - two.scale)
        return _fit(whole + scale, scale, True)
    return max(left, right, key=lambda side: _DIGITS[type(side)])


def _common_other(left: DataType, right: DataType, nullable: bool) -> DataType | None:
    match left, right:
        case (Timestamp(precision=a), Timestamp(precision=b)):
            return Timestamp(max(a, b), nullable=nullable)
        case (TimestampLtz(precision=a), TimestampLtz(precision=b)):
            return TimestampLtz(max(a, b), nullable=nullable)
        case (Timestamp(precision=a), TimestampLtz(precision=b)) | (TimestampLtz(precision=a), Timestamp(precision=b)):
            return TimestampLtz(max(a, b), nullable=nullable)
        case (Date(), Timestamp() | TimestampLtz()):
            return right.with_nullable(nullable)
        case (Timestamp() | TimestampLtz(), Date()):
            return left.with_nullable(nullable)
        case (Time(precision=a), Time(precision=b)):
            return Time(max(a, b), nullable=nullable)
        case (Array(element=a), Array(element=b)):
            element = common_type(a, b)
            return Array(element, nullable=nullable) if element else None
        case (Map(key=ka, value=va), Map(key=kb, value=vb)):
            key, value = common_type(ka, kb), common_type(va, vb)
            return Map(key, value, nullable=nullable) if key and value else None
        case (Row(fields=one), Row(fields=other)) if len(one) == len(other):
            fields = [_common_field(a, b) for a, b in zip(one, other, strict=True)]
            known = tuple(field for field in fields if field is not None)
            return Row(known, nullable=nullable) if len(known) == len(fields) else None
    return None


def _common_field(left: Field, right: Field) -> Field | None:
    """Returns the common field of two rows, under the name it has in the first."""
    common = common_type(left.type, right.type)
    return Field(left.name, common) if common else None


def arithmetic_type(operator: str, left: DataType, right: DataType) -> DataType | None:
    """Returns the type of `left operator right` for + - * / %; None if it is not defined for these types."""
    nullable = left.nullable or right.nullable
    if isinstance(left, Null) or isinstance(right, Null):
        other = right if isinstance(left, Null) else left
        return arithmetic_type(operator, other, other)
    if isinstance(left, NUMERIC) and isinstance(right, NUMERIC):
        return _arithmetic_number(operator, left, right).with_nullable(nullable)
    moment = (Timestamp, TimestampLtz, Date, Time)
    if operator in "+-" and isinstance(left, moment) and isinstance(right, Interval):
        return left.with_nullable(nullable)
    if operator == "+" and isinstance(left, Interval) and isinstance(right, moment):
        return right.with_nullable(nullable)
    if operator in "+-" and isinstance(left, Interval) and isinstance(right, Interval) and left.months == right.months:
        return left.with_nullable(nullable)
    if operator == "*" and isinstance(left, Interval) and isinstance(right, INTEGER):
        return left.with_nullable(nullable)
    if operator == "*" and isinstance(left, INTEGER) and isinstance(right, Interval):
        return right.with_nullable(nullable)
    return None


def _arithmetic_number(operator: str, left: DataType, right: DataType) -> DataType:
    if isinstance(left, APPROXIMATE) or isinstance(right, APPROXIMATE):
        return _common_number(left, right)
    if not isinstance(left, Decimal) and not isinstance(right, Decimal):
        # A remainder is smaller than what it was divided by.
        return right if operator == "%" else _common_number(left, right)
    one, two = as_decimal(left), as_decimal(right)
    match operator:
        case "+" | "-":
            scale = max(one.scale, two.scale)
            return _fit(max(one.precision - one.scale, two.precision - two.scale) + scale + 1, scale, True)
        case "*":
            return _fit(one.precision + two.precision, one.scale + two.scale, True)
        case "/":
            scale = max(6, one.scale + two.precision + 1)
            return _fit(one.precision - one.scale + two.scale + scale, scale, True)
        case _:
            scale = max(one.scale, two.scale)
            return _fit(min(one.precision - one.scale, two.precision - two.scale) + scale, scale, True)


def comparable(left: DataType, right: DataType) -> DataType | None:
    """Returns the type in which two values are compared. Flink compares text with a number or a time in the other's type."""
    common = common_type(left, right)
    if common is not None:
        return common
    for text, other in ((left, right), (right, left)):
        if isinstance(text, CHARACTER) and isinstance(other, (*NUMERIC, *TEMPORAL, Boolean)):
            return Double() if isinstance(other, NUMERIC) else other.with_nullable(True)
    return None


def sum_type(argument: DataType) -> DataType | None:
    if isinstance(argument, Decimal):
        return Decimal(_MAX_PRECISION, argument.scale)
    return argument.with_nullable(True) if isinstance(argument, NUMERIC) else None


def avg_type(argument: DataType) -> DataType | None:
    if isinstance(argument, Decimal):
        return Decimal(_MAX_PRECISION, max(argument.scale, 6))
    return argument.with_nullable(True) if isinstance(argument, NUMERIC) else None
