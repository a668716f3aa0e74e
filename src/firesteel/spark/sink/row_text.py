"""Renders rows as Flink's `print` shows them: `+I[1, abc]`.

>>> fields = (types.Field("id", types.Int()), types.Field("at", types.Timestamp(3)))
>>> batch = pa.record_batch([pa.array([1, None]), pa.array([0, 1500], pa.timestamp("ms")).cast(pa.timestamp("us"))], ["id", "at"])
>>> row_texts(batch, fields, None)
['+I[1, 1970-01-01T00:00]', '+I[null, 1970-01-01T00:00:01.500]']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.changelog.kind import RowKind
from firesteel.formats.arrow_type import map_entries
from firesteel.formats.java.number import decimal_text, double_text, float_text
from firesteel.formats.java.time import date_text
from firesteel.types import DataType, Field

#: In the order of the codes in `KIND`.
_SIGNS = {RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U", RowKind.DELETE: "-D"}
_SIGN = [_SIGNS[kind] for kind in RowKind]

_DAY_NANOS = 86_400_000_000_000
_DAY_MICROS = 86_400_000_000


def row_texts(rows: pa.RecordBatch, fields: Sequence[Field], kinds: pa.Array | None) -> list[str]:
    columns = [_texts(rows.column(field.name), field.type) for field in fields]
    signs = ["+I"] * rows.num_rows if kinds is None else [_SIGN[kind] for kind in kinds.to_pylist()]
    return [f"{sign}[{', '.join(values)}]" for sign, *values in zip(signs, *columns, strict=True)]


def _texts(column: pa.Array, type: DataType) -> list[str]:
    match type:
        case types.Array(element):
            items = _grouped(_texts(column.flatten(), element), pc.list_value_length(column))
            return ["null" if found is None else f"[{', '.join(found)}]" for found in items]
        case types.Map(key, value):
            return _maps(column, key, value)
        case types.Multiset(element):
            return _maps(column, element, types.Int())
        case types.Row(fields):
            parts = [_texts(part, field.type) for part, field in zip(column.flatten(), fields, strict=True)]
            rows = [f"+I[{', '.join(values)}]" for values in zip(*parts, strict=True)]
            missing = column.is_null().to_pylist()
            return ["null" if none else text for none, text in zip(missing, rows, strict=True)]
        case _:
            render = _RENDERERS.get(type.__class__, str)
            return ["null" if value is None else render(value) for value in _plain(column).to_pylist()]


def _plain(column: pa.Array) -> pa.Array:
    """Turns times into numbers: Python's have a beginning and an end."""
    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    if pa.types.is_timestamp(column.type) or pa.types.is_time64(column.type):
        return column.cast(pa.int64())
    return column


def _maps(column: pa.Array, key: DataType, value: DataType) -> list[str]:
    entries = map_entries(column)
    keys, values = entries.flatten().flatten()
    pairs = [f"{one}={other}" for one, other in zip(_texts(keys, key), _texts(values, value), strict=True)]
    items = _grouped(pairs, pc.list_value_length(entries))
    return ["null" if found is None else f"{{{', '.join(found)}}}" for found in items]


def _grouped(texts: list[str], lengths: pa.Array) -> list[list[str] | None]:
    found: list[list[str] | None] = []
    begin = 0
    for length in lengths.to_pylist():
        if length is None:
            found.append(None)
            continue
        found.append(texts[begin : begin + length])
        begin += length
    return found


def _fraction(nanos: int) -> str:
    """Renders a fraction in groups of three digits, as Java does."""
    digits = f"{nanos:09d}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""


def _clock(nanos: int, *, seconds: bool) -> str:
    whole, fraction = divmod(nanos, 1_000_000_000)
    text = f"{whole // 3600:02d}:{whole // 60 % 60:02d}"
    return f"{text}:{whole % 60:02d}{_fraction(fraction)}" if seconds or whole % 60 or fraction else text


def _timestamp(micros: int) -> str:
    days, rest = divmod(micros, _DAY_MICROS)
    return f"{date_text(days)}T{_clock(rest * 1000, seconds=False)}"


def _instant(micros: int) -> str:
    days, rest = divmod(micros, _DAY_MICROS)
    return f"{date_text(days)}T{_clock(rest * 1000, seconds=True)}Z"


def _bytes(value: bytes) -> str:
    return f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"


_RENDERERS: dict[type[DataType], Callable[..., str]] = {
    types.Boolean: lambda value: "true" if value else "false",
    types.Float: float_text,
    types.Double: double_text,
    types.Decimal: decimal_text,
    types.Date: date_text,
    types.Time: lambda nanos: _clock(nanos % _DAY_NANOS, seconds=False),
    types.Timestamp: _timestamp,
    types.TimestampLtz: _instant,
    types.Binary: _bytes,
    types.Varbinary: _bytes,
}
