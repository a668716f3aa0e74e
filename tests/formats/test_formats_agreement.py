"""The fast path and the exact path give the same rows and the same rejects, whatever the bytes are."""

from __future__ import annotations

import json as stdlib_json
import os
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.avro.decoder import AvroDecoder
from firesteel.formats.avro.encoder import AvroEncoder
from firesteel.formats.codec import Decoded
from firesteel.formats.csv.decoder import CsvDecoder
from firesteel.formats.json.decoder import JsonDecoder
from firesteel.types import Field

_QUICK = settings(
    max_examples=int(os.environ.get("FIRESTEEL_EXAMPLES", "80")), deadline=None, suppress_health_check=list(HealthCheck)
)

_TYPES = (
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(6, 2)",
    "DECIMAL(38, 18)",
    "DECIMAL(5, 0)",
    "STRING",
    "BYTES",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(3)",
)
_NESTED = ("ROW<x INT, y STRING>", "ROW<t TIMESTAMP(3), d DECIMAL(4, 1)>", "ARRAY<INT>", "ARRAY<DATE>")


def _assert_same(fast: Decoded, exact: Decoded) -> None:
    assert fast.rejects == exact.rejects
    assert fast.batch.schema == exact.batch.schema
    assert fast.batch.num_rows == exact.batch.num_rows
    for one, other in zip(fast.batch.columns, exact.batch.columns, strict=True):
        # The text tells -0.0 from 0.0 and lets NaN equal NaN.
        # A NULL row may hide anything in its fields.
        assert pa.types.is_nested(one.type) or one.to_string(window=100) == other.to_string(window=100)
        assert "nan" in one.to_string(window=100) or one.equals(other)
    assert (fast.origin is None) == (exact.origin is None)
    assert fast.origin is None or fast.origin.equals(exact.origin)


_numbers = st.one_of(
    st.integers(-300, 300),
    st.integers(-(2**65), 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-99999, 99999, places=3, allow_nan=False).map(str),
)
_times = st.sampled_from(
    [
        "2020-11-11",
        "2020-02-30",
        "20191112",
        "0000-01-01",
        "18:08:01",
        "18:08:01.123456789",
        "24:00:00",
        "2020-11-11 18:08:01",
        "2020-11-11 18:08:01.5",
        "2020-11-11 18:08:01.123456789",
        "2020-11-11T18:08:01",
        "2020-04-31 24:00:00",
        "1969-12-31 23:59:59.9999999",
        "2020-11-11 18:08:01.",
    ]
)
_texts = st.one_of(
    st.text(max_size=6),
    _times,
    st.sampled_from(["", "AQI=", "A Q I=", "true", " 12 ", "1.", ".5", "+1", "1e3", "e5", "-", "NaN", "1.255"]),
)
_json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["x", "y", "t", "d", "z"]), inner, max_size=3)
    ),
    max_leaves=4,
)
#: What stands in for a piece of a message to break it.
_noise = st.sampled_from(
    [
        b"",
        b"}",
        b"{",
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b'"',
        b",",
        b":",
        b" ",
        b"NaN",
        b"1",
        b"[",
        b"]",
        b"\\ud800",
        b"\xef\xbb\xbf",
    ]
)


@st.composite
def _fields(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[Field, ...]:
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    nullable = [draw(st.booleans()) for _ in chosen]
    text = ", ".join(
        f"c{place} {kind}{'' if null else ' NOT NULL'}"
        for place, (kind, null) in enumerate(zip(chosen, nullable, strict=True))
    )
    return parse_columns(text)


@st.composite
def _mutated(draw: st.DrawFn, message: bytes) -> bytes:
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        start = draw(st.integers(0, len(message)))
        end = min(len(message), start + draw(st.integers(0, 2)))
        message = message[:start] + draw(_noise) + message[end:]
    return message


@st.composite
def _json_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(_fields(_TYPES + _NESTED))
    names = [field.name for field in fields]
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        record: dict[str, Any] = {name: draw(_likely(field)) for name, field in zip(names, fields, strict=True)}
        if draw(st.booleans()):
            record["other"] = draw(_json_values)
        text = stdlib_json.dumps(record, ensure_ascii=draw(st.booleans()))
        messages.append(draw(_mutated(text.encode("utf-8", "replace"))))
    return fields, messages


def _likely(field: Field) -> st.SearchStrategy[Any]:
    """Mostly values of the field's own type, so that the fast path has something to take."""
    kind = str(field.type.with_nullable(True))
    good: st.SearchStrategy[Any]
    if kind in ("BOOLEAN",):
        good = st.booleans()
    elif kind in ("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(5, 0)"):
        good = st.integers(-120, 120)
    elif kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
        good = st.one_of(
            st.integers(-99, 99), st.floats(-99, 99), st.sampled_from([0.25, 1.5, 1e-50, 1e39, 16777217.0])
        )
    elif kind == "DATE":
        good = st.sampled_from(["2020-02-29", "1969-12-31"])
    elif kind.startswith("TIMESTAMP"):
        good = st.sampled_from(["2020-02-29 00:00:00", "1969-12-31 23:59:59.123456789"])
    elif kind.startswith("TIME"):
        good = st.sampled_from(["00:00:00", "23:59:59.9999"])
    elif kind == "BYTES":
        good = st.sampled_from(["", "AQI=", "AQID"])
    elif kind.startswith("ROW"):
        good = st.fixed_dictionaries({"x": st.integers(0, 9)}, optional={"y": st.text(max_size=3), "t": st.none()})
    elif kind.startswith("ARRAY<INT"):
        good = st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=3)
    elif kind.startswith("ARRAY"):
        good = st.lists(st.one_of(st.none(), st.just("2020-02-29")), max_size=3)
    else:
        good = st.text(max_size=6)
    return st.one_of(good, good, good, st.none(), _json_values)


@pytest.mark.parametrize("options", [{}, {"ignore-parse-errors": "true"}, {"fail-on-missing-field": "true"}], ids=str)
def test_json(options: dict[str, str]) -> None:
    @_QUICK
    @given(_json_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = JsonDecoder(bind(fields, "json", options), [field.name for field in fields][:count])
            _assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


@st.composite
def _csv_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(_fields(_TYPES))
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        values = [draw(_likely(field)) for field in fields]
        line = ",".join("" if value is None else str(value) for value in values)
        messages.append(draw(_mutated(line.encode("utf-8", "replace"))))
    return fields, messages


@pytest.mark.parametrize(
    "options",
    [{}, {"ignore-parse-errors": "true", "null-literal": "null"}, {"empty-string-as-null": "true"}],
    ids=str,
)
def test_csv(options: dict[str, str]) -> None:
    @_QUICK
    @given(_csv_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = CsvDecoder(bind(fields, "csv", options), [field.name for field in fields][:count])
            _assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


_AVRO_TYPES = (
    *_TYPES,
    "ROW<x INT NOT NULL, y STRING>",
    "ROW<t TIMESTAMP(3), d DECIMAL(4, 1)>",
    "ARRAY<INT>",
    "MAP<STRING, INT>",
)


@st.composite
def _avro_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(_fields(_AVRO_TYPES))
    # Rows come out of the JSON decoder; NOT NULL columns without a value are left out.
    records = [{field.name: draw(_likely(field)) for field in fields} for _ in range(draw(st.integers(1, 5)))]
    texts = [stdlib_json.dumps(record).encode() for record in records]
    rows = JsonDecoder(bind(fields, "json", {"ignore-parse-errors": "true"}), [field.name for field in fields])
    encoder = AvroEncoder(bind(fields, "avro"))
    batch = rows.decode(texts).batch
    messages: list[bytes | None] = []
    for row in range(batch.num_rows):
        try:
            (message,) = encoder.encode(batch.slice(row, 1))
        except ValueError:
            continue
        assert message is not None
        if draw(st.booleans()):
            start = draw(st.integers(0, len(message)))
            noise = draw(st.binary(max_size=3))
            message = message[:start] + noise + message[min(len(message), start + draw(st.integers(0, 3))) :]
        messages.append(message)
    return fields, messages


def test_avro() -> None:
    @_QUICK
    @given(_avro_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = AvroDecoder(bind(fields, "avro"), [field.name for field in fields][:count])
            _assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


@_QUICK
@given(_fields(_AVRO_TYPES[:-2]), st.lists(st.binary(max_size=20), min_size=1, max_size=4))
def test_avro_of_any_bytes(fields: tuple[Field, ...], messages: list[bytes | None]) -> None:
    decoder = AvroDecoder(bind(fields, "avro"), [field.name for field in fields])
    _assert_same(decoder.decode(messages), decoder.decode_exactly(messages))


def test_one_bad_record_costs_one_record() -> None:
    fields = parse_columns("id INT, s STRING")
    messages: list[bytes | None] = [b'{"id":%d,"s":"x"}' % number for number in range(5000)]
    messages[1234] = b'{"id":"x"}'
    messages[4000] = None
    decoded = JsonDecoder(bind(fields, "json"), ["id"]).decode(messages)
    assert [reject.index for reject in decoded.rejects] == [1234]
    assert decoded.batch.num_rows == 4998
    assert decoded.origin is not None
    assert decoded.batch.column(0).to_pylist() == decoded.origin.to_pylist()
    assert isinstance(decoded.batch, pa.RecordBatch)
