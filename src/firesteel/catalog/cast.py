"""Flink's rules for casts: which types are converted implicitly, and which CAST can convert, for metadata columns too.

>>> from firesteel.types import STRING, BigInt, Int
>>> explicit_cast(Int(), BigInt()), explicit_cast(BigInt(), Array(Int())), explicit_cast(Array(Int()), STRING)
(True, False, True)
>>> implicit_cast(Varchar(9), Char(5))
False
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
    Binary,
    Boolean,
    Char,
    DataType,
    Date,
    Decimal,
    Double,
    Float,
    Interval,
    Map,
    Multiset,
    Null,
    Row,
    Time,
    Timestamp,
    TimestampLtz,
    Varbinary,
    Varchar,
)


def implicit_cast(source: DataType, target: DataType) -> bool:
    """Checks whether INSERT accepts a `source` column for a `target` column without CAST."""
    if isinstance(source, Null):
        return True
    if source.with_nullable(True) == target.with_nullable(True):
        return True
    match source, target:
        case (Char() | Varchar(), Varchar()):
            return True
        case (Char(length=a), Char(length=b)):
            return a == b
        case (Binary() | Varbinary(), Varbinary()):
            return True
        case (Binary(length=a), Binary(length=b)):
            return a == b
        case (Date(), Timestamp() | TimestampLtz()):
            return True
        case (Timestamp() | TimestampLtz(), Timestamp() | TimestampLtz()):
            return True
        case (Timestamp(), Date()) | (Time() | Timestamp(), Time()):
            return True
        case (Array(element=a), Array(element=b)) | (Multiset(element=a), Multiset(element=b)):
            return implicit_cast(a, b)
        case (Map(key=ka, value=va), Map(key=kb, value=vb)):
            return implicit_cast(ka, kb) and implicit_cast(va, vb)
        case (Row(fields=a), Row(fields=b)):
            return len(a) == len(b) and all(implicit_cast(x.type, y.type) for x, y in zip(a, b, strict=True))
        case (Float(), Double()):
            return True
    if isinstance(source, INTEGER) and isinstance(target, INTEGER):
        return INTEGER.index(type(source)) <= INTEGER.index(type(target))
    if isinstance(source, APPROXIMATE) and isinstance(target, Decimal):
        return True
    return isinstance(source, (*INTEGER, Decimal)) and isinstance(target, (Decimal, *APPROXIMATE))


def explicit_cast(source: DataType, target: DataType) -> bool:
    """Checks whether CAST(source AS target) is defined."""
    if implicit_cast(source, target):
        return True
    if isinstance(target, CHARACTER):
        return not isinstance(source, Interval)
    if isinstance(source, CHARACTER):
        return isinstance(target, (*NUMERIC, *TEMPORAL, *BINARY, Boolean, *CHARACTER))
    if isinstance(source, NUMERIC):
        return isinstance(target, (*NUMERIC, Boolean))
    if isinstance(source, Boolean):
        return isinstance(target, NUMERIC)
    if isinstance(source, BINARY):
        return isinstance(target, (*BINARY, *CHARACTER))
    match source, target:
        case (Timestamp() | TimestampLtz(), Date() | Time() | Timestamp() | TimestampLtz()):
            return True
        case (Date(), Timestamp() | TimestampLtz() | Date()):
            return True
        case (Time(), Time() | Timestamp() | TimestampLtz()):
            return True
        case (Array(element=a), Array(element=b)):
            return explicit_cast(a, b)
        case (Map(key=ka, value=va), Map(key=kb, value=vb)):
            return explicit_cast(ka, kb) and explicit_cast(va, vb)
        case (Row(fields=a), Row(fields=b)):
            return len(a) == len(b) and all(explicit_cast(x.type, y.type) for x, y in zip(a, b, strict=True))
    return False
