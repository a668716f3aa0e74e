"""What a format wrote, it reads back as the same value.

Some texts lose something on the way, as they do in Flink, and the values are brought to what is left:

- TIME keeps milliseconds in every format; Avro keeps milliseconds of TIMESTAMP(3) too.
- CSV cannot tell NULL from '' without a `null-literal`; a line of one empty text is an empty message, which is no row.
- A JSON tree keeps no sign of zero where the table has a DECIMAL column, and a FLOAT is read through 64 bits.
- Text that is half a surrogate pair cannot be written in UTF-8 at all; Arrow holds no such text.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.formats.formats_strategies import NESTED, QUICK, TYPES, any_fields
from tests.formats.formats_tables import bind, parse_columns

from firesteel import types
from firesteel.formats.arrow_type import arrow_schema
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.types import DataType, Field


def _values(data_type: DataType) -> st.SearchStrategy[Any]:
    match data_type:
        case types.Boolean():
            values: st.SearchStrategy[Any] = st.booleans()
        case types.TinyInt():
            values = st.integers(-(2**7), 2**7 - 1)
        case types.SmallInt():
            values = st.integers(-(2**15), 2**15 - 1)
        case types.Int():
            values = st.integers(-(2**31), 2**31 - 1)
        case types.BigInt():
            values = st.integers(-(2**63), 2**63 - 1)
        case types.Float():
            values = st.floats(width=32, allow_nan=False).map(lambda value: value or 0.0)
        case types.Double():
            values = st.floats(allow_nan=False).map(lambda value: value or 0.0)
        case types.Decimal(precision, scale):
            limit = 10**precision - 1
            values = st.integers(-limit, limit).map(lambda number: Decimal(number).scaleb(-scale, Context(prec=40)))
        case types.Char() | types.Varchar():
            values = st.text(st.characters(codec="utf-8"), max_size=40)
        case types.Binary() | types.Varbinary():
            values = st.binary(max_size=20)
        case types.Date():
            values = st.dates()
        case types.Time():
            values = st.times().map(lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000))
        case types.Timestamp():
            values = st.datetimes().map(lambda value: value.replace(microsecond=value.microsecond // 1000 * 1000))
        case types.Row(fields):
            values = st.fixed_dictionaries({field.name: _values(field.type) for field in fields})
        case types.Array(element):
            values = st.lists(_values(element), max_size=4)
        case types.Map(_, value):
            values = st.dictionaries(st.text(max_size=4), _values(value), max_size=3).map(lambda d: list(d.items()))
        case _:
            raise AssertionError(data_type)
    return st.one_of(values, values, values, st.none()) if data_type.nullable else values


@st.composite
def _batches(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[tuple[Field, ...], pa.RecordBatch]:
    fields = draw(any_fields(kinds))
    count = draw(st.integers(1, 6))
    arrays = [
        pa.array([draw(_values(field.type)) for _ in range(count)], column.type)
        for field, column in zip(fields, arrow_schema(fields), strict=True)
    ]
    return fields, pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(fields))


@pytest.mark.parametrize(
    ("name", "kinds", "options"),
    [
        ("json", TYPES + NESTED + ("MAP<STRING, INT>",), {}),
        ("json", TYPES + NESTED, {"timestamp-format.standard": "ISO-8601", "encode.decimal-as-plain-number": "true"}),
        ("json", TYPES + NESTED, {"encode.ignore-null-fields": "true"}),
        ("csv", TYPES, {"null-literal": "\\N"}),
        ("csv", TYPES, {"null-literal": "\\N", "field-delimiter": ";", "quote-character": "'"}),
        ("avro", (*TYPES, *NESTED, "MAP<STRING, INT>"), {}),
    ],
    ids=["json", "json-plain", "json-sparse", "csv", "csv-options", "avro"],
)
def test_rows_that_are_written_are_read_back(name: str, kinds: tuple[str, ...], options: dict[str, str]) -> None:
    @QUICK
    @given(_batches(kinds))
    def check(case: tuple[tuple[Field, ...], pa.RecordBatch]) -> None:
        fields, batch = case
        bound = bind(fields, name, options)
        messages = make_encoder(bound).encode(batch)
        # A CSV line without a character is no row.
        assume(name != "csv" or all(messages))
        decoded = make_decoder(bound, bound.columns).decode(messages)
        assert decoded.rejects == ()
        assert decoded.batch.to_pylist() == batch.to_pylist()

    check()


@pytest.mark.parametrize("name", ["debezium-json", "canal-json", "maxwell-json", "ogg-json"])
def test_changes_that_are_written_are_read_back(name: str) -> None:
    @QUICK
    @given(_batches(TYPES + NESTED), st.data())
    def check(case: tuple[tuple[Field, ...], pa.RecordBatch], data: st.DataObject) -> None:
        fields, batch = case
        count = batch.num_rows
        kinds = data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
        bound = bind(fields, name)
        messages = make_encoder(bound).encode(batch, pa.array(kinds, pa.int8()))
        decoded = make_decoder(bound, bound.columns).decode(messages)
        assert decoded.rejects == ()
        assert decoded.batch.to_pylist() == batch.to_pylist()
        # An update is written as a delete and an insert.
        assert decoded.kinds is not None
        assert decoded.kinds.to_pylist() == [{0: 0, 1: 3, 2: 0, 3: 3}[kind] for kind in kinds]

    check()


@QUICK
@given(st.sampled_from(["STRING", "BYTES", "BIGINT", "INT", "DOUBLE", "FLOAT", "BOOLEAN"]), st.data())
def test_raw_values_that_are_written_are_read_back(kind: str, data: st.DataObject) -> None:
    fields = parse_columns(f"a {kind}")
    values = data.draw(st.lists(_values(fields[0].type), max_size=4))
    batch = pa.RecordBatch.from_arrays([pa.array(values, arrow_schema(fields).field(0).type)], names=["a"])
    bound = bind(fields, "raw")
    assert make_decoder(bound, ["a"]).decode(make_encoder(bound).encode(batch)).batch.to_pylist() == batch.to_pylist()
