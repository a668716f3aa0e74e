"""What Flink's own tests say of data in each format, one by one."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.arrow_type import arrow_schema
from firesteel.formats.avro.schema import derive_schema
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.codec import EncodeError, Reason

IGNORE = {"ignore-parse-errors": "true"}
ISO = {"timestamp-format.standard": "ISO-8601"}
REFUSED = object()
UTC = datetime.UTC


def decode(name: str, columns: str, message: bytes | None, options: dict[str, str] | None = None) -> Any:
    """The rows as tuples, or REFUSED."""
    bound = bind(parse_columns(columns), name, options)
    decoded = make_decoder(bound, bound.columns).decode([message])
    if any(not reject.kept for reject in decoded.rejects) and not (options or {}).get("ignore-parse-errors"):
        assert decoded.batch.num_rows == 0
        return REFUSED
    return [tuple(row.values()) for row in decoded.batch.to_pylist()]


def encode(name: str, columns: str, row: tuple[Any, ...], options: dict[str, str] | None = None) -> bytes | None:
    fields = parse_columns(columns)
    schema = arrow_schema(fields)
    arrays = [pa.array([value], column.type) for value, column in zip(row, schema, strict=True)]
    (message,) = make_encoder(bind(fields, name, options)).encode(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return message


@pytest.mark.parametrize(
    ("columns", "message", "options", "rows"),
    [
        pytest.param("id BOOLEAN", '{"id": "trueA"}', {}, [(False,)], id="text-as-boolean"),
        pytest.param("id INT", '{"id":112.013}', {}, [(112,)], id="fraction-as-int"),
        pytest.param("id BIGINT", '{"id":112.013}', {}, [(112,)], id="fraction-as-bigint"),
        pytest.param("id INT", '{"id":"abc"}', {}, REFUSED, id="word-as-int"),
        pytest.param("id INT", '{"id":"abc"}', IGNORE, [(None,)], id="word-as-int-ignored"),
        pytest.param("id INT", '{"id":11211111111.013}', IGNORE, [(None,)], id="too-large-as-int-ignored"),
        pytest.param("id STRING", '{"id":123.234}', {}, [("123.234",)], id="fraction-as-string"),
        pytest.param("id STRING", '{"id":true}', {}, [("true",)], id="boolean-as-string"),
        pytest.param("id STRING", '{"id":1234567}', {}, [("1234567",)], id="integer-as-string"),
        pytest.param(
            "id STRING",
            '{"id":{"k1":123,"k2":234.234,"k3":"string data"}}',
            {},
            [('{"k1":123,"k2":234.234,"k3":"string data"}',)],
            id="object-as-string",
        ),
        pytest.param("id DATE", '{"id":"20191112"}', {}, REFUSED, id="date-without-dashes"),
        pytest.param("id DATE", '{"id":"20191112"}', IGNORE, [(None,)], id="date-without-dashes-ignored"),
        pytest.param("id TIME", '{"id":"18:00:243"}', {}, REFUSED, id="time-of-wrong-form"),
        pytest.param("id TIMESTAMP(0)", '{"id":"2019-11-12T18:00:12"}', {}, REFUSED, id="timestamp-in-iso-for-sql"),
        pytest.param("id TIMESTAMP(0)", '{"id":"2019-11-12 18:00:12"}', ISO, REFUSED, id="timestamp-in-sql-for-iso"),
        pytest.param("id TIMESTAMP(0)", '{"id":"2019-11-12T18:00:12Z"}', ISO, REFUSED, id="timestamp-with-zone"),
        pytest.param(
            "id TIMESTAMP_LTZ(0)", '{"id":"2019-11-12T18:00:12+0800"}', {}, REFUSED, id="timestamp-ltz-with-offset"
        ),
        pytest.param("a ARRAY<INT>", '{"a":[123, "abc"]}', IGNORE, [([123, None],)], id="word-in-array-of-int-ignored"),
        pytest.param("a ARRAY<INT>", '{"a":[123, "abc"]}', {}, REFUSED, id="word-in-array-of-int"),
        pytest.param(
            "m MAP<STRING, INT>",
            '{"m":{"key1":"123", "key2":"abc"}}',
            IGNORE,
            [([("key1", 123), ("key2", None)],)],
            id="word-in-map-of-int-ignored",
        ),
        pytest.param("m MAP<STRING, INT>", '{"m":{"key1":"123", "key2":"abc"}}', {}, REFUSED, id="word-in-map-of-int"),
        pytest.param(
            "id INT, factor DECIMAL(38, 18)",
            '{"id":1,"factor":799.929496989092949698}',
            {},
            [(1, Decimal("799.929496989092949698"))],
            id="decimal-of-38-digits",
        ),
        pytest.param("id STRING", '{"id":"\tstring field"}', {}, [("\tstring field",)], id="tab-in-string"),
        pytest.param(
            "name STRING", '{"id":123123123}', {"fail-on-missing-field": "true"}, REFUSED, id="missing-field-fails"
        ),
        pytest.param("name STRING", '{"id":123123123}', {}, [(None,)], id="missing-field-is-null"),
        pytest.param("name STRING", None, {"fail-on-missing-field": "true"}, [], id="null-message"),
        pytest.param("name STRING", "", {"fail-on-missing-field": "true"}, [], id="empty-message"),
        pytest.param(
            "f1 INT, f2 BOOLEAN, f3 STRING",
            '[{"f1":1,"f2":true,"f3":"str"},{"f1":10,"f2":false,"f3":"newStr"}]',
            {},
            [(1, True, "str"), (10, False, "newStr")],
            id="array-of-rows",
        ),
        pytest.param("f1 INT", "[]", {}, [], id="empty-array-of-rows"),
        pytest.param(
            "i INT, l BIGINT, b BOOLEAN, d DOUBLE, f FLOAT",
            '{"i":"45","l":"9","b":"true","d":"1.5","f":"0.25"}',
            {},
            [(45, 9, True, 1.5, 0.25)],
            id="texts-as-numbers",
        ),
        pytest.param("a INT", '{"a":" 12 "}', {}, [(12,)], id="text-with-blanks-as-int"),
        pytest.param("a INT", '{"a":"1.5"}', {}, REFUSED, id="text-with-fraction-as-int"),
        pytest.param("a INT", '{"a":""}', {}, REFUSED, id="empty-text-as-int"),
        pytest.param("d DECIMAL(4, 2)", '{"d":"12.345"}', {}, [(Decimal("12.35"),)], id="decimal-is-rounded"),
        pytest.param("d DECIMAL(4, 2)", '{"d":123.4}', {}, [(None,)], id="decimal-that-overflows-is-null"),
    ],
)
def test_json_is_read_as_flink_reads_it(columns: str, message: str | None, options: dict[str, str], rows: Any) -> None:
    """By both of Flink's readers, whose tests are the same."""
    for reader in ("true", "false"):
        chosen = options | {"decode.json-parser.enabled": reader}
        assert decode("json", columns, None if message is None else message.encode(), chosen) == rows


def test_a_json_tree_is_read_otherwise_than_tokens() -> None:
    """Where the reader of trees differs from the reader of tokens."""
    tree = {"decode.json-parser.enabled": "false"}
    twice = b'{"a":1,"a":2,"b":3}'
    assert decode("json", "a INT, b INT", twice) == [(2, None)]
    assert decode("json", "a INT, b INT", twice, tree) == [(2, 3)]
    assert decode("json", "s STRING", b'{"s":1.10}') == [("1.10",)]
    assert decode("json", "s STRING", b'{"s":1.10}', tree) == [("1.1",)]
    nested = tree | {"fail-on-missing-field": "true"}
    assert decode("json", "r ROW<a INT, b INT>", b'{"r":{"a":1}}', nested) is REFUSED
    assert decode("json", "r ROW<a INT, b INT>", b'{"r":{"a":1,"b":null}}', nested) == [({"a": 1, "b": None},)]
    assert decode("json", "a INT", b'[{"a":1},null,{"a":2}]', tree) == [(1,), (2,)]
    assert decode("json", "a INT", b"5", tree) is REFUSED


DECIMALS = "decimal1 DECIMAL(9, 6), decimal2 DECIMAL(20, 0), decimal3 DECIMAL(11, 9)"
DECIMAL_ROW = (Decimal("123.456789"), Decimal("454621864049246170"), Decimal("0.000000027"))
MOMENT = datetime.datetime(1990, 10, 14, 12, 12, 43, 123000)
NESTED = "ops ROW<id STRING, svt STRING>, ids ARRAY<INT>, metrics MAP<STRING, DOUBLE>"


@pytest.mark.parametrize(
    ("columns", "row", "options", "message"),
    [
        pytest.param(
            DECIMALS,
            DECIMAL_ROW,
            {},
            '{"decimal1":123.456789,"decimal2":4.5462186404924617E+17,"decimal3":2.7E-8}',
            id="decimals",
        ),
        pytest.param(
            DECIMALS,
            DECIMAL_ROW,
            {"encode.decimal-as-plain-number": "true"},
            '{"decimal1":123.456789,"decimal2":454621864049246170,"decimal3":0.000000027}',
            id="decimals-plain",
        ),
        pytest.param(
            "t TIMESTAMP(3), z TIMESTAMP_LTZ(9)",
            (MOMENT, MOMENT.replace(microsecond=123456, tzinfo=UTC)),
            {},
            '{"t":"1990-10-14 12:12:43.123","z":"1990-10-14 12:12:43.123456Z"}',
            id="timestamps-in-sql",
        ),
        pytest.param(
            "t TIMESTAMP(3), z TIMESTAMP_LTZ(9)",
            (MOMENT, MOMENT.replace(microsecond=123456, tzinfo=UTC)),
            ISO,
            '{"t":"1990-10-14T12:12:43.123","z":"1990-10-14T12:12:43.123456Z"}',
            id="timestamps-in-iso",
        ),
        pytest.param(
            NESTED,
            (None, None, [("k1", 10.01), ("k2", None)]),
            {"encode.ignore-null-fields": "true"},
            '{"metrics":{"k1":10.01,"k2":null}}',
            id="null-fields-left-out",
        ),
        pytest.param(
            NESTED,
            ({"id": None, "svt": "s"}, [1, 2, None], None),
            {"encode.ignore-null-fields": "true"},
            '{"ops":{"svt":"s"},"ids":[1,2,null]}',
            id="null-fields-left-out-in-rows",
        ),
        pytest.param("d DECIMAL(10, 2)", (Decimal("100.00"),), {}, '{"d":1E+2}', id="decimal-with-zeros"),
        pytest.param(
            "d DECIMAL(10, 2)",
            (Decimal("100.00"),),
            {"encode.decimal-as-plain-number": "true"},
            '{"d":100.00}',
            id="decimal-with-zeros-plain",
        ),
        pytest.param("f FLOAT, d DOUBLE", (1.0, 1e10), {}, '{"f":1.0,"d":1.0E10}', id="float-and-double"),
    ],
)
def test_json_is_written_as_flink_writes_it(
    columns: str, row: tuple[Any, ...], options: dict[str, str], message: str
) -> None:
    assert encode("json", columns, row, options) == message.encode()


def _entries(kind: pa.DataType) -> pa.DataType:
    """Maps with NULL keys come as lists of entries."""
    return pa.list_(pa.struct([("key", pa.string()), ("value", kind)]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"map-null-key.mode": "DROP"}, b'{"nestedMap":{"no-null key":{"no-null key":1}}}'),
        (
            {"map-null-key.mode": "LITERAL", "map-null-key.literal": "nullKey"},
            b'{"nestedMap":{"no-null key":{"no-null key":1,"nullKey":2},"nullKey":{"no-null key":1,"nullKey":2}}}',
        ),
        ({}, None),
    ],
    ids=["drop", "literal", "fail"],
)
def test_a_null_key_of_a_map_is_dropped_replaced_or_refused(options: dict[str, str], message: bytes | None) -> None:
    encoder = make_encoder(bind(parse_columns("nestedMap MAP<STRING, MAP<STRING, INT>>"), "json", options))
    inner = [{"key": "no-null key", "value": 1}, {"key": None, "value": 2}]
    outer = [{"key": "no-null key", "value": inner}, {"key": None, "value": inner}]
    batch = pa.RecordBatch.from_arrays([pa.array([outer], _entries(_entries(pa.int32())))], names=["nestedMap"])
    if message is not None:
        assert encoder.encode(batch) == [message]
        return
    with pytest.raises(EncodeError, match=r"map-null-key\.mode") as error:
        encoder.encode(batch)
    assert error.value.row == 0


CSV = "f0 STRING, f1 {}, f2 STRING"


@pytest.mark.parametrize(
    ("kind", "message", "options", "rows"),
    [
        pytest.param("INT", "Test,null,Test", {}, REFUSED, id="word-as-int"),
        pytest.param("INT", "Test,null,Test", IGNORE, [("Test", None, "Test")], id="word-as-int-ignored"),
        pytest.param("INT", "Test", IGNORE, [("Test", None, None)], id="too-few-fields-ignored"),
        pytest.param("INT", "Test", {}, REFUSED, id="too-few-fields"),
        pytest.param("INT", "Test,12,Test,Test", IGNORE, [], id="too-many-fields-ignored"),
        pytest.param("INT", "#Test,12,Test", {}, [("#Test", 12, "Test")], id="hash-is-text"),
        pytest.param("INT", "#Test,12,Test", {"allow-comments": "true", **IGNORE}, [], id="hash-is-comment"),
        pytest.param("BIGINT", "BEGIN,null,END", {"null-literal": "null"}, [("BEGIN", None, "END")], id="null-literal"),
        pytest.param(
            "STRING", "BEGIN,null,END", {"null-literal": "null"}, [("BEGIN", None, "END")], id="null-literal-of-string"
        ),
        pytest.param(
            "ARRAY<TINYINT>",
            "BEGIN,12;4;null,END",
            {"null-literal": "null"},
            [("BEGIN", [12, 4, None], "END")],
            id="null-literal-in-array",
        ),
        pytest.param(
            "STRING",
            "BEGIN;'a;b*'c';END",
            {"escape-character": "*", "quote-character": "'", "field-delimiter": ";"},
            [("BEGIN", "a;b'c", "END")],
            id="escape-and-quote-characters",
        ),
        pytest.param(
            "STRING",
            'BEGIN,"abc,END',
            {"disable-quote-character": "true"},
            [("BEGIN", '"abc', "END")],
            id="no-quote-character",
        ),
        pytest.param(
            "BIGINT", "abc\t123\tfalse", {"field-delimiter": "\\t"}, [("abc", 123, "false")], id="tab-as-delimiter"
        ),
        pytest.param(
            "TIME(2)",
            "a,12:12:12.232312,b",
            {},
            [("a", datetime.time(12, 12, 12, 230000), "b")],
            id="time-is-cut-to-its-precision",
        ),
        pytest.param(
            "TIMESTAMP",
            'a,"2018-10-12 12:12:12",b',
            {},
            [("a", datetime.datetime(2018, 10, 12, 12, 12, 12), "b")],
            id="timestamp",
        ),
        pytest.param("DATE", "a,2018-10-12,b", {}, [("a", datetime.date(2018, 10, 12), "b")], id="date"),
        pytest.param("BYTES", "a,awML,b", {}, [("a", bytes([107, 3, 11]), "b")], id="bytes"),
        pytest.param(
            "ROW<a STRING, b INT, c BOOLEAN>",
            "a,Hello;42;false,b",
            {},
            [("a", {"a": "Hello", "b": 42, "c": False}, "b")],
            id="row",
        ),
    ],
)
def test_csv_is_read_as_flink_reads_it(kind: str, message: str, options: dict[str, str], rows: Any) -> None:
    assert decode("csv", CSV.format(kind), message.encode(), options) == rows


@pytest.mark.parametrize(
    ("kind", "value", "options", "text"),
    [
        pytest.param("STRING", "This is a test.", {}, '"This is a test."', id="string-with-blanks-is-quoted"),
        pytest.param(
            "TIMESTAMP", datetime.datetime(2018, 10, 12, 12, 12, 12), {}, '"2018-10-12 12:12:12"', id="timestamp"
        ),
        pytest.param(
            "TIMESTAMP_LTZ(3)",
            datetime.datetime(1970, 1, 1, 0, 2, 3, 456000, UTC),
            {},
            '"1970-01-01 00:02:03.456Z"',
            id="timestamp-ltz",
        ),
        pytest.param("DATE", datetime.date(2018, 10, 12), {}, "2018-10-12", id="date"),
        pytest.param("TIME(0)", datetime.time(12, 12, 12), {}, "12:12:12", id="time"),
        pytest.param("DOUBLE", 0.33333333332, {}, "0.33333333332", id="double"),
        pytest.param("BYTES", bytes([107, 3, 11]), {}, "awML", id="bytes"),
        pytest.param(
            "ROW<a STRING, b INT, c BOOLEAN>", {"a": "Hello", "b": 42, "c": False}, {}, "Hello;42;false", id="row"
        ),
        pytest.param("BIGINT", None, {"null-literal": "null"}, "null", id="null-literal"),
        pytest.param("STRING", None, {"null-literal": "null"}, "null", id="null-literal-of-string"),
        pytest.param(
            "ARRAY<TINYINT>", [12, 4, None], {"null-literal": "null"}, "12;4;null", id="null-literal-in-array"
        ),
    ],
)
def test_csv_is_written_as_flink_writes_it(kind: str, value: Any, options: dict[str, str], text: str) -> None:
    assert encode("csv", CSV.format(kind), ("BEGIN", value, "END"), options) == f"BEGIN,{text},END".encode()


SCIENTIFIC = "write-bigdecimal-in-scientific-notation"


@pytest.mark.parametrize(
    ("columns", "row", "options", "message"),
    [
        pytest.param(
            CSV.format("STRING"),
            ("BEGIN", "a;b'c", "END"),
            {"escape-character": "*", "quote-character": "'", "field-delimiter": ";"},
            b"BEGIN;'a;b''c';END",
            id="escape-and-quote-characters",
        ),
        pytest.param(
            "a STRING, b INT, c BOOLEAN",
            ("abc", 123, False),
            {"field-delimiter": "\\t"},
            b"abc\t123\tfalse",
            id="tab-as-delimiter",
        ),
        pytest.param(
            "a STRING, b DECIMAL(10, 3), c BOOLEAN",
            ("abc", Decimal("100000.000"), False),
            {"field-delimiter": ";", SCIENTIFIC: "true"},
            b"abc;1E+5;false",
            id="decimal-scientific",
        ),
        pytest.param(
            "a STRING, b DECIMAL(10, 3), c BOOLEAN",
            ("abc", Decimal("100000.000"), False),
            {"field-delimiter": ";", SCIENTIFIC: "false"},
            b"abc;100000.000;false",
            id="decimal-plain",
        ),
        pytest.param(
            "a STRING, b DECIMAL(10, 3), c BOOLEAN",
            ("abc", Decimal("100000.000"), False),
            {"field-delimiter": ";"},
            b"abc;100000.000;false",
            id="decimal-as-it-is-by-default",
        ),
        pytest.param(
            "a STRING, b INT, c TIMESTAMP",
            ("Test", 12, datetime.datetime(2019, 12, 26, 12, 12, 12)),
            {"quote-character": "#"},
            b"Test,12,#2019-12-26 12:12:12#",
            id="quote-character",
        ),
    ],
)
def test_a_row_of_csv_is_written_as_flink_writes_it(
    columns: str, row: tuple[Any, ...], options: dict[str, str], message: bytes
) -> None:
    assert encode("csv", columns, row, options) == message


def test_csv_keeps_milliseconds_of_precise_times() -> None:
    """Flink's source says that such a column is refused; Flink 2.3 takes it."""
    (row,) = decode("csv", "t TIME(5)", b"12:12:12.123456")
    assert row == (datetime.time(12, 12, 12, 123000),)


@pytest.mark.parametrize(
    ("kind", "value", "big", "little"),
    [
        ("SMALLINT", 32767, "7fff", "ff7f"),
        ("INT", 2147483647, "7fffffff", "ffffff7f"),
        ("DOUBLE", 1.7976931348623157e308, "7fefffffffffffff", "ffffffffffffef7f"),
        ("BOOLEAN", True, "01", "01"),
        ("STRING", "", "", ""),
    ],
)
def test_raw_has_both_byte_orders_and_null(kind: str, value: Any, big: str, little: str) -> None:
    for text, options in ((big, {}), (little, {"endianness": "little-endian"})):
        assert decode("raw", f"v {kind}", bytes.fromhex(text), options) == [(value,)]
        assert encode("raw", f"v {kind}", (value,), options) == bytes.fromhex(text)
    assert decode("raw", f"v {kind}", None) == [(None,)]
    assert encode("raw", f"v {kind}", (None,)) is None


def test_raw_of_wrong_size() -> None:
    assert decode("raw", "v INT", b"\0\0\0") is REFUSED


def test_avro_names_nested_records_after_their_columns() -> None:
    schema = derive_schema(parse_columns("row1 ROW<a STRING>, row3 ROW<row3 ROW<c STRING>>"))
    assert (schema["name"], schema["namespace"]) == ("record", "org.apache.flink.avro.generated")
    first, third = (field["type"][1] for field in schema["fields"])
    assert first["name"] == "record_row1"
    assert third["name"] == "record_row3"
    assert third["fields"][0]["type"][1]["name"] == "record_row3_row3"
    assert all(field["default"] is None for field in schema["fields"])


@pytest.mark.parametrize("kind", ["TIMESTAMP(4)", "TIME(4)", "TIMESTAMP_LTZ(3)", "MAP<INT, INT>"])
def test_avro_refuses_types_it_cannot_hold(kind: str) -> None:
    with pytest.raises(ValueError, match="Avro"):
        make_encoder(bind(parse_columns(f"c {kind}"), "avro"))


AVRO = "id BIGINT NOT NULL, name STRING, price DECIMAL(10, 2), d DATE, t TIME(3), ts TIMESTAMP(3)"
AVRO_ROW = (
    1,
    "ab",
    Decimal("123.45"),
    datetime.date(2020, 11, 11),
    datetime.time(18, 8, 1, 123000),
    datetime.datetime(2020, 11, 11, 18, 8, 1, 123000),
)


def test_avro_has_the_bytes_of_flink() -> None:
    message = bytes.fromhex("02020461620204303902a2a20202c6f1a03e02c6e1f187b75d")
    nulls = (1, None, None, None, None, None)
    assert encode("avro", AVRO, AVRO_ROW) == message
    assert decode("avro", AVRO, message) == [AVRO_ROW]
    assert encode("avro", AVRO, nulls) == bytes.fromhex("020000000000")
    assert decode("avro", AVRO, bytes.fromhex("020000000000")) == [nulls]


def test_avro_reads_as_another_library_writes() -> None:
    columns = "a ARRAY<INT>, m MAP<STRING, BIGINT>, r ROW<x DOUBLE NOT NULL, y BOOLEAN>, u ARRAY<ROW<z FLOAT>>"
    record = {"a": [1, None], "m": {"k": -5000000000}, "r": {"x": 0.1, "y": None}, "u": [{"z": 1.5}]}
    buffer = io.BytesIO()
    schema = fastavro.parse_schema(derive_schema(parse_columns(columns)))
    fastavro.schemaless_writer(buffer, schema, record)
    row = ([1, None], [("k", -5000000000)], {"x": 0.1, "y": None}, [{"z": 1.5}])
    assert decode("avro", columns, buffer.getvalue()) == [row]
    assert encode("avro", columns, row) == buffer.getvalue()


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (b"\x02\x02\x02\xff", Reason.MALFORMED),
        (b"\x02\x02\x00\x00", Reason.MALFORMED),
        (b"\x04\x02\x00", Reason.MALFORMED),
    ],
    ids=["cut", "bytes-behind", "no-such-branch"],
)
def test_a_corrupt_avro_record_is_rejected_alone(message: bytes, reason: Reason) -> None:
    bound = bind(parse_columns("a BIGINT, b STRING"), "avro")
    good = bytes.fromhex("020202026a")
    decoded = make_decoder(bound, ["b"]).decode([good, message, good])
    assert [(reject.index, reject.reason) for reject in decoded.rejects] == [(1, reason)]
    assert decoded.batch.column(0).to_pylist() == ["j", "j"]


def test_no_columns_keep_the_row_count() -> None:
    for name, message in (("json", b'{"a":1}'), ("csv", b"1"), ("avro", b"\x02\x02")):
        bound = bind(parse_columns("a INT"), name)
        batch = make_decoder(bound, []).decode([message] * 3).batch
        assert (batch.num_rows, batch.num_columns) == (3, 0)


def test_unread_columns_are_not_decoded() -> None:
    bound = bind(parse_columns("a INT, b INT"), "json")
    decoder = make_decoder(bound, ["b"])
    assert decoder.decode([b'{"a":"bad","b":1}']).batch.to_pylist() == [{"b": 1}]
    assert decoder.decode([b'{"b":1,"a":']).rejects[0].reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "message",
    [b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"a":' + b"[" * 100_000, b"[" * 100_000, b'{"a":' * 100_000],
    ids=["deep", "deep-and-cut", "array", "objects"],
)
def test_hostile_nesting_is_rejected(message: bytes) -> None:
    bound = bind(parse_columns("a STRING, b INT"), "json")
    for columns in (["a", "b"], ["b"], []):
        (reject,) = make_decoder(bound, columns).decode([message]).rejects
        assert reject.reason is Reason.TOO_LARGE


@pytest.mark.parametrize("number", ["1" * 100_000, "1e999999999999", "1e-999999999", "0." + "1" * 100_000])
@pytest.mark.parametrize("kind", ["INT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(38, 18)", "STRING", "TINYINT"])
def test_hostile_numbers_become_a_value_or_a_reject(number: str, kind: str) -> None:
    bound = bind(parse_columns(f"a {kind}"), "json")
    for message in (f'{{"a":{number}}}', f'{{"a":"{number}"}}', f'{{"a":[{number}]}}'):
        decoded = make_decoder(bound, ["a"]).decode([message.encode()])
        assert decoded.batch.num_rows + sum(not reject.kept for reject in decoded.rejects) == 1
