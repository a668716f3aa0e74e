"""A whole block of JSON messages at once, through Arrow's JSON reader.

`read` returns None unless it can prove that the exact reader would give the same rows. The proof:

- Each message starts with `{`, ends with `}` and holds no line break, and the messages are joined by line breaks. No object can
  reach over a join: inside an object `}` is never followed by `{`, and a line break inside a string is refused by Arrow. So
  every message holds at least one whole object, and if there are as many rows as messages, each holds exactly one.
- Arrow refuses what Flink coerces (a string into a number, 1.0 into INT, a number into STRING) and names given twice. What Arrow
  takes and Flink does not (NaN, Infinity, text that is not UTF-8, nesting without end) is looked for in the bytes.
- Decimals that do not fit their column are found by Arrow's own validation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.json

from firesteel import types
from firesteel.formats import jackson, text_column
from firesteel.formats.arrow import arrow_type
from firesteel.formats.json.settings import JsonSettings
from firesteel.formats.json.token import MAX_DEPTH
from firesteel.types import DataType, Field

#: From what Arrow read to the column; None refuses the block.
Finish = Callable[[pa.Array], pa.Array | None]

_CONSTANT = re.compile(rb"(?:NaN|Inf)(?<=[:,\[\s-]...)")
#: Arrow reads outside its tables, and takes the worker with it, for a decimal such as 1e-999999999; escapes could hide one.
_WILD_DECIMAL = re.compile(rb"[eE][-+]?[0-9]{3}|\\u")
_MAX_BLOCK = 1 << 30
_SEPARATOR = {False: " ", True: "T"}


@dataclass(frozen=True)
class _Column:
    wire: pa.DataType
    finish: Finish


class BlockReader:
    def __init__(self, schema: pa.Schema, columns: Sequence[_Column], complete: bool) -> None:
        self._schema = schema
        self._columns = columns
        self._complete = complete
        self._has_decimals = "decimal128" in str(schema)

    def read(self, messages: Sequence[bytes]) -> list[pa.Array] | None:
        """One array per column, or None."""
        joined = b"\n".join(messages)
        if not _is_safe(joined, messages) or (self._has_decimals and _WILD_DECIMAL.search(joined)):
            return None
        try:
            table = pyarrow.json.read_json(
                pa.py_buffer(joined),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(joined) + 64),
                parse_options=pyarrow.json.ParseOptions(
                    explicit_schema=self._schema, unexpected_field_behavior="ignore"
                ),
            )
            if table.num_rows != len(messages):
                return None
            arrays: list[pa.Array] = []
            for place, column in enumerate(self._columns):
                array = _one_chunk(table.column(place))
                # A column may be missing or NULL in a message: Arrow does not tell the two apart.
                if self._complete and array.null_count:
                    return None
                array.validate(full=True)
                finished = column.finish(array)
                if finished is None:
                    return None
                arrays.append(finished)
            return arrays
        except pa.ArrowException:
            return None


def block_reader(fields: Sequence[Field], settings: JsonSettings) -> BlockReader | None:
    """None when a column has a type that only the exact reader knows."""
    columns = [_column(field.type, settings) for field in fields]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None
    schema = pa.schema([pa.field(field.name, column.wire) for field, column in zip(fields, known, strict=True)])
    return BlockReader(schema, known, complete=settings.fail_on_missing_field)


def _is_safe(joined: bytes, messages: Sequence[bytes]) -> bool:
    joints = len(messages) - 1
    if len(joined) > _MAX_BLOCK or not joined.startswith(b"{") or not joined.endswith(b"}"):
        return False
    if joined.count(b"\n") != joints or joined.count(b"}\n{") != joints:
        return False
    if b"\r" in joined or b"\0" in joined:
        return False
    # A single byte is looked for much faster than three: most blocks have no capital N or I at all.
    if (b"N" in joined or b"I" in joined) and _CONSTANT.search(joined):
        return False
    # A message nested too deep has more bytes than levels.
    if max(map(len, messages)) > MAX_DEPTH and any(
        len(message) > MAX_DEPTH and message.count(b"{") + message.count(b"[") > MAX_DEPTH for message in messages
    ):
        return False
    if not joined.isascii():
        try:
            joined.decode("utf-8")
        except UnicodeDecodeError:
            return False
    return True


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _column(data_type: DataType, settings: JsonSettings) -> _Column | None:
    match data_type:
        case (
            types.Boolean()
            | types.TinyInt()
            | types.SmallInt()
            | types.Int()
            | types.BigInt()
            | types.Float()
            | types.Double()
            | types.Decimal()
            | types.Char()
            | types.Varchar()
        ):
            return _Column(arrow_type(data_type), _as_is)
        case types.Binary() | types.Varbinary():
            return _Column(pa.string(), _base64)
        case types.Date():
            return _Column(pa.string(), _texts(text_column.read_dates, data_type))
        case types.Time():
            return _Column(pa.string(), _texts(text_column.read_times, data_type))
        case types.Timestamp() | types.TimestampLtz():
            utc = isinstance(data_type, types.TimestampLtz)
            reader = text_column.read_timestamps(_SEPARATOR[settings.iso_timestamps], utc)
            return _Column(pa.string(), _texts(reader, data_type))
        case types.Row(fields):
            # Arrow does not say which fields of a nested row were missing.
            return None if settings.fail_on_missing_field else _row(fields, settings)
        case types.Array(element):
            inner = _column(element, settings)
            return None if inner is None else _Column(pa.list_(inner.wire), _elements(inner))
    return None


def _as_is(array: pa.Array) -> pa.Array:
    return array


def _base64(texts: pa.Array) -> pa.Array | None:
    try:
        values = [None if text is None else jackson.decode_base64(text) for text in texts.to_pylist()]
    except ValueError:
        return None
    return pa.array(values, pa.binary())


def _texts(reader: text_column.Reader, data_type: DataType) -> Finish:
    result = arrow_type(data_type)
    return lambda texts: text_column.read_column(texts, reader, result)


def _row(fields: Sequence[Field], settings: JsonSettings) -> _Column | None:
    columns = [_column(field.type, settings) for field in fields]
    inner = [column for column in columns if column is not None]
    if len(inner) < len(columns) or not inner:
        return None
    wire = pa.struct([pa.field(field.name, column.wire) for field, column in zip(fields, inner, strict=True)])
    if all(column.finish is _as_is for column in inner):
        return _Column(wire, _as_is)

    def finish(array: pa.Array) -> pa.Array | None:
        children: list[pa.Array] = []
        for column, child in zip(inner, array.flatten(), strict=True):
            finished = column.finish(child)
            if finished is None:
                return None
            children.append(finished)
        named = [pa.field(field.name, child.type) for field, child in zip(fields, children, strict=True)]
        return pa.StructArray.from_arrays(children, fields=named, mask=array.is_null())

    return _Column(wire, finish)


def _elements(inner: _Column) -> Finish:
    if inner.finish is _as_is:
        return _as_is

    def finish(array: pa.Array) -> pa.Array | None:
        finished = inner.finish(array.values)
        if finished is None:
            return None
        return pa.ListArray.from_arrays(array.offsets, finished, mask=array.is_null() if array.null_count else None)

    return finish
