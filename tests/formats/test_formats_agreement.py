"""The fast path and the exact path give the same rows and the same rejects, whatever the bytes are."""

from __future__ import annotations

import json as stdlib_json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import (
    NESTED,
    QUICK,
    TYPES,
    any_fields,
    assert_same,
    json_values,
    likely,
    mutated,
)
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.avro.decoder import AvroDecoder
from firesteel.formats.avro.encoder import AvroEncoder
from firesteel.formats.csv.decoder import CsvDecoder
from firesteel.formats.json.decoder import JsonDecoder
from firesteel.types import Field


@st.composite
def _json_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(any_fields(TYPES + NESTED))
    names = [field.name for field in fields]
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        record: dict[str, Any] = {name: draw(likely(field)) for name, field in zip(names, fields, strict=True)}
        if draw(st.booleans()):
            record["other"] = draw(json_values)
        text = stdlib_json.dumps(record, ensure_ascii=draw(st.booleans()))
        messages.append(draw(mutated(text.encode("utf-8", "replace"))))
    return fields, messages


TREE = {"decode.json-parser.enabled": "false"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ignore-parse-errors": "true"},
        {"fail-on-missing-field": "true"},
        TREE,
        TREE | {"ignore-parse-errors": "true"},
        TREE | {"fail-on-missing-field": "true"},
    ],
    ids=str,
)
def test_both_paths_of_json_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_json_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = JsonDecoder(bind(fields, "json", options), [field.name for field in fields][:count])
            assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


@st.composite
def _csv_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(any_fields(TYPES))
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        values = [draw(likely(field)) for field in fields]
        # Quoted or not, as the writer likes; what is inside may hold quotes of its own.
        texts = ["" if value is None else str(value) for value in values]
        line = ",".join(f'"{text}"' if draw(st.booleans()) else text for text in texts)
        messages.append(draw(mutated(line.encode("utf-8", "replace"))))
    return fields, messages


@pytest.mark.parametrize(
    "options",
    [{}, {"ignore-parse-errors": "true", "null-literal": "null"}, {"empty-string-as-null": "true"}],
    ids=str,
)
def test_both_paths_of_csv_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_csv_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = CsvDecoder(bind(fields, "csv", options), [field.name for field in fields][:count])
            assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


_AVRO_TYPES = (
    *TYPES,
    "ROW<x INT NOT NULL, y STRING>",
    "ROW<t TIMESTAMP(3), d DECIMAL(4, 1)>",
    "ARRAY<INT>",
    "MAP<STRING, INT>",
)


@st.composite
def _avro_block(draw: st.DrawFn) -> tuple[tuple[Field, ...], list[bytes | None]]:
    fields = draw(any_fields(_AVRO_TYPES))
    # Rows come out of the JSON decoder; NOT NULL columns without a value are left out.
    records = [{field.name: draw(likely(field)) for field in fields} for _ in range(draw(st.integers(1, 5)))]
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


def test_both_paths_of_avro_agree() -> None:
    @QUICK
    @given(_avro_block())
    def check(block: tuple[tuple[Field, ...], list[bytes | None]]) -> None:
        fields, messages = block
        for count in {len(fields), 1, 0}:
            decoder = AvroDecoder(bind(fields, "avro"), [field.name for field in fields][:count])
            assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

    check()


@QUICK
@given(any_fields(_AVRO_TYPES[:-2]), st.lists(st.binary(max_size=20), min_size=1, max_size=4))
def test_avro_of_any_bytes(fields: tuple[Field, ...], messages: list[bytes | None]) -> None:
    decoder = AvroDecoder(bind(fields, "avro"), [field.name for field in fields])
    assert_same(decoder.decode(messages), decoder.decode_exactly(messages))


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
