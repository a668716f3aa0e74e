"""Which types an explicit CAST turns into which, for the declared type of a metadata column.

>>> from firesteel.types import STRING, Array, BigInt, Int
>>> castable(Int(), BigInt()), castable(BigInt(), Array(Int())), castable(Array(Int()), STRING)
(True, False, True)
"""

from __future__ import annotations

from firesteel.types import (
    BINARY,
    CHARACTER,
    NUMERIC,
    Array,
    Boolean,
    DataType,
    Date,
    Map,
    Multiset,
    Null,
    Row,
    Time,
    Timestamp,
    TimestampLtz,
)

_INSTANT = (Timestamp, TimestampLtz)

#: (from, to), beside what is equal, and beside text, which everything turns into.
_ALLOWED: tuple[tuple[tuple[type[DataType], ...], tuple[type[DataType], ...]], ...] = (
    (CHARACTER, (*CHARACTER, *BINARY, *NUMERIC, *_INSTANT, Boolean, Date, Time)),
    (BINARY, BINARY),
    (NUMERIC, (*NUMERIC, Boolean)),
    ((Boolean,), (Boolean, *NUMERIC)),
    ((Date,), (Date, *_INSTANT)),
    ((Time,), (Time, *_INSTANT)),
    (_INSTANT, (Date, Time, *_INSTANT)),
)


def castable(source: DataType, target: DataType) -> bool:
    match source, target:
        case (Null(), _):
            return True
        case Array(), Array():
            return castable(source.element, target.element)
        case Multiset(), Multiset():
            return castable(source.element, target.element)
        case Map(), Map():
            return castable(source.key, target.key) and castable(source.value, target.value)
        case Row(), Row():
            return len(source.fields) == len(target.fields) and all(
                castable(left.type, right.type) for left, right in zip(source.fields, target.fields, strict=True)
            )
    if isinstance(target, CHARACTER):
        return True
    return any(isinstance(source, left) and isinstance(target, right) for left, right in _ALLOWED)
