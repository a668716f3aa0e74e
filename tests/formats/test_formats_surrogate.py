"""Half a surrogate pair, which JSON can spell and UTF-8 cannot write: a question mark in rows and in reasons, as in Flink."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.codec import Decoded, Reason, Reject

#: How a row stands in a message of each format that spells texts as JSON does.
_MESSAGES = {
    "json": b'{"a":%b}',
    "debezium-json": b'{"before":null,"after":{"a":%b},"op":"c"}',
    "ogg-json": b'{"after":{"a":%b},"op_type":"I"}',
    "canal-json": b'{"data":[{"a":%b}],"type":"INSERT"}',
    "maxwell-json": b'{"data":{"a":%b},"type":"insert"}',
}
_HALVES = (rb'"20\ud800"', rb'"\udc00 20"', rb'"\ud800\ud800"')


def _decode(name: str, columns: str, message: bytes, **options: str) -> Decoded:
    bound = bind(parse_columns(columns), name, options)
    return make_decoder(bound, bound.columns).decode([message, None])


def _assert_writable(decoded: Decoded) -> None:
    for reject in decoded.rejects:
        reject.detail.encode()
        (reject.column or "").encode()


@pytest.mark.parametrize("half", _HALVES)
@pytest.mark.parametrize(
    "kind",
    [
        "BIGINT",
        "TINYINT",
        "DOUBLE",
        "FLOAT",
        "DECIMAL(5,2)",
        "DATE",
        "TIME(3)",
        "TIMESTAMP(3)",
        "TIMESTAMP_LTZ(3)",
        "BYTES",
        "ARRAY<INT>",
        "MAP<STRING,INT>",
        "ROW<x INT>",
    ],
)
@pytest.mark.parametrize("name", _MESSAGES)
def test_findings_d3_a_reason_can_be_written(name: str, kind: str, half: bytes) -> None:
    for options in ({}, {"ignore-parse-errors": "true"}):
        decoded = _decode(name, f"a {kind}", _MESSAGES[name] % half, **options)
        _assert_writable(decoded)
        assert decoded.rejects or kind.startswith("MAP") or kind == "BYTES", decoded


@pytest.mark.parametrize("name", _MESSAGES)
def test_findings_d3_a_row_holds_a_question_mark(name: str) -> None:
    for half in _HALVES:
        decoded = _decode(name, "a STRING", _MESSAGES[name] % half)
        wanted = half.decode("ascii").strip('"').replace(r"\ud800", "?").replace(r"\udc00", "?")
        assert decoded.batch.to_pylist() == [{"a": wanted}]
    [row] = _decode(name, "a MAP<STRING, STRING>", _MESSAGES[name] % rb'{"\ud800": "\udfff"}').batch.to_pylist()
    assert row == {"a": [("?", "?")]}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("debezium-json", rb'{"before":null,"after":null,"op":"\ud800"}'),
        ("canal-json", rb'{"data":[],"type":"\ud800"}'),
        ("maxwell-json", rb'{"data":{},"type":"\ud800"}'),
        ("ogg-json", rb'{"op_type":"\ud800"}'),
        ("json", rb'{"\ud800": '),
    ],
)
def test_findings_d3_half_a_character_in_the_envelope_is_rejected(name: str, message: bytes) -> None:
    decoded = _decode(name, "a STRING", message)
    assert decoded.rejects
    _assert_writable(decoded)


@pytest.mark.parametrize("body", [rb'{"a":{"string":"\ud800"}}', rb'{"a":{"\ud800":1}}', rb'{"\ud800":1}'])
def test_findings_d3_half_a_character_in_avro_json_is_rejected_or_replaced(body: bytes) -> None:
    decoded = _decode("avro", "a STRING", body, encoding="json")
    _assert_writable(decoded)
    assert decoded.rejects or decoded.batch.to_pylist() == [{"a": "?"}]


def test_findings_d3_a_charset_that_spells_halves() -> None:
    assert _decode("raw", "a STRING", b"+2AA-", charset="utf-7").batch.to_pylist()[0] == {"a": "?"}


def test_a_character_that_the_charset_lacks() -> None:
    bound = bind(parse_columns("a STRING"), "raw", {"charset": "latin-1"})
    batch = pa.RecordBatch.from_arrays([pa.array(["10 €", None])], names=["a"])
    assert make_encoder(bound).encode(batch) == [b"10 ?", None]


def test_findings_d3_every_reject_can_be_written() -> None:
    reject = Reject(0, Reason.BAD_VALUE, "'\ud800' is no number", "col\udfff")
    assert (reject.detail, reject.column) == ("'?' is no number", "col?")
    pa.array([reject.detail, reject.column], pa.string())
