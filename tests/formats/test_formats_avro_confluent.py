"""`avro-confluent` against a stand-in for the registry (`formats_registry`): a real one cannot be had here."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_registry import Registry
from tests.formats.formats_strategies import QUICK, any_fields, assert_same, likely
from tests.formats.formats_tables import bind, parse_columns

from firesteel.errors import JobError, OutsideError, UsageError
from firesteel.formats.arrow_type import arrow_schema
from firesteel.formats.avro.schema import derive_schema
from firesteel.formats.avro_confluent.address import Refused, check_address
from firesteel.formats.avro_confluent.decoder import ConfluentDecoder
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.codec import Reason
from firesteel.formats.json.decoder import JsonDecoder

USER: dict[str, Any] = {
    "type": "record",
    "name": "User",
    "namespace": "com.acme",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "name", "type": ["null", "string"], "default": None},
        {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
    ],
}


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as found:
        yield found


def written(schema: Any, record: Any, number: int) -> bytes:
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, fastavro.parse_schema(schema), record)
    return b"\0" + number.to_bytes(4, "big") + buffer.getvalue()


def decode(registry: Registry, columns: str, messages: list[bytes | None], **options: str) -> Any:
    """Both paths, which must agree."""
    bound = bind(parse_columns(columns), "avro-confluent", {"url": registry.url, **options})
    decoder = make_decoder(bound, bound.columns)
    assert isinstance(decoder, ConfluentDecoder)
    decoded = decoder.decode(messages)
    assert_same(decoded, decoder.decode_exactly(messages))
    return decoded


def rows(decoded: Any) -> list[tuple[Any, ...]]:
    assert not decoded.rejects
    return [tuple(row.values()) for row in decoded.batch.to_pylist()]


def test_a_row_has_the_bytes_and_the_schema_of_flink(registry: Registry) -> None:
    fields = parse_columns("id BIGINT NOT NULL, name STRING, price DECIMAL(10, 2)")
    bound = bind(fields, "avro-confluent", {"url": registry.url, "subject": "a/b-value"})
    batch = pa.RecordBatch.from_pylist([{"id": 1, "name": "ab", "price": Decimal("123.45")}], arrow_schema(fields))
    encoder = make_encoder(bound)
    message = bytes.fromhex("0000000001" + "02" + "02046162" + "02043039")
    assert encoder.encode(batch) == [message]
    assert registry.schemas[0]["schema"] == (
        '{"type":"record","name":"record","namespace":"org.apache.flink.avro.generated","fields":[{"name":"id","type":"long"},'
        '{"name":"name","type":["null","string"],"default":null},{"name":"price","type":["null",{"type":"bytes",'
        '"logicalType":"decimal","precision":10,"scale":2}],"default":null}]}'
    )
    assert registry.requests == [("POST", "/subjects/a%2Fb-value/versions", None)]
    # Neither the same encoder nor another one asks again.
    encoder.encode(batch)
    make_encoder(bound).encode(batch)
    assert len(registry.requests) == 1
    assert rows(decode(registry, "id BIGINT NOT NULL, name STRING, price DECIMAL(10, 2)", [message, None])) == [
        (1, "ab", Decimal("123.45"))
    ]


def test_writer_and_reader_meet_by_names(registry: Registry) -> None:
    number = registry.add(USER)
    message = written(USER, {"id": 7, "name": "x", "level": "HIGH"}, number)
    assert rows(decode(registry, "level STRING, id BIGINT, extra INT", [message])) == [("HIGH", 7, None)]
    assert rows(decode(registry, "id DOUBLE NOT NULL, name BYTES", [message])) == [(7.0, b"x")]
    (reject,) = decode(registry, "id BIGINT, extra INT NOT NULL", [message]).rejects
    assert (reject.reason, "'extra'" in reject.detail) == (Reason.BAD_VALUE, True)
    (reject,) = decode(registry, "id INT", [message]).rejects
    assert "'long' is no INT" in reject.detail
    assert len(registry.requests) == 1


def test_other_units_and_scales(registry: Registry) -> None:
    schema: dict[str, Any] = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "a", "type": {"type": "long", "logicalType": "timestamp-micros"}},
            {"name": "t", "type": {"type": "long", "logicalType": "time-micros"}},
            {"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 4}},
            {"name": "f", "type": {"type": "fixed", "name": "F", "size": 2}},
        ],
    }
    number = registry.add(schema)
    plain = ["long", "long", "bytes", {"type": "fixed", "name": "F", "size": 2}]
    raw = schema | {"fields": [{"name": name, "type": kind} for name, kind in zip("atdf", plain, strict=True)]}
    message = written(raw, {"a": 1_000_500, "t": 2_000_000, "d": b"\x30\x39", "f": b"ab"}, number)
    (row,) = rows(decode(registry, "a TIMESTAMP(3), t TIME(3), d DECIMAL(10, 2), f BYTES", [message]))
    assert (str(row[0]), str(row[1]), row[2], row[3]) == (
        "1970-01-01 00:00:01.000500",
        "00:00:02",
        Decimal("1.23"),
        b"ab",
    )


def test_unions_and_types_that_hold_themselves(registry: Registry) -> None:
    schema = {
        "type": "record",
        "name": "Tree",
        "fields": [
            {"name": "child", "type": ["null", "Tree"]},
            {"name": "any", "type": ["int", "string", "null"]},
            {"name": "id", "type": "int"},
        ],
    }
    number = registry.add(schema)
    leaf = {"child": None, "any": 1, "id": 1}
    messages: list[bytes | None] = [
        written(schema, {"child": leaf, "any": value, "id": 9}, number) for value in ("x", None, 5)
    ]
    assert rows(decode(registry, "id INT", messages)) == [(9,), (9,), (9,)]
    decoded = decode(registry, "any STRING, id INT", messages)
    assert decoded.batch.to_pylist() == [{"any": "x", "id": 9}, {"any": None, "id": 9}]
    assert [(reject.index, reject.reason) for reject in decoded.rejects] == [(2, Reason.BAD_VALUE)]
    # Endless nesting ends as a bad record.
    deep = b"\0" + number.to_bytes(4, "big") + b"\2" * 100_000
    (reject,) = decode(registry, "id INT", [deep]).rejects
    assert reject.reason is Reason.TOO_LARGE


def test_a_schema_may_refer_to_another(registry: Registry) -> None:
    address = {"type": "record", "name": "Address", "namespace": "a", "fields": [{"name": "city", "type": "string"}]}
    registry.add(address, "address")
    person = {"type": "record", "name": "P", "fields": [{"name": "home", "type": "a.Address"}]}
    number = registry.add(person, references=[{"name": "a.Address", "subject": "address", "version": 1}])
    message = b"\0" + number.to_bytes(4, "big") + b"\x04Ox"
    assert rows(decode(registry, "home ROW<city STRING>", [message])) == [({"city": "Ox"},)]


def test_several_schemas_in_one_block(registry: Registry) -> None:
    other = {"type": "record", "name": "U", "fields": [{"name": "x", "type": "int"}, {"name": "id", "type": "long"}]}
    first, second = registry.add({**USER, "fields": USER["fields"][:2]}), registry.add(other)
    messages: list[bytes | None] = []
    for number in range(200):
        if number % 3:
            messages.append(written({**USER, "fields": USER["fields"][:2]}, {"id": number, "name": "n"}, first))
        else:
            messages.append(written(other, {"x": 1, "id": number}, second))
    decoded = decode(registry, "id BIGINT NOT NULL, name STRING", messages)
    assert rows(decoded) == [(number, "n" if number % 3 else None) for number in range(200)]
    assert decoded.origin is None


@pytest.mark.parametrize("message", [b"", b"\0\0\0", b"\1\0\0\0\1\2", b"\0\0\0\0\x63\2"])
def test_messages_without_a_schema(registry: Registry, message: bytes) -> None:
    (reject,) = decode(registry, "id INT", [message]).rejects
    assert reject.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "schema", ["{", '{"type":"record"}', '"nothing"', "5", '["null"]', "[" * 100_000, '{"type":"enum","name":"E"}']
)
def test_schemas_that_are_none(registry: Registry, schema: str) -> None:
    number = registry.add(schema)
    (reject,) = decode(registry, "id INT", [b"\0" + number.to_bytes(4, "big") + b"\2"]).rejects
    assert reject.reason in (Reason.MALFORMED, Reason.BAD_VALUE)


def test_a_schema_of_another_kind(registry: Registry) -> None:
    number = registry.add("syntax = 'proto3'", schemaType="PROTOBUF")
    (reject,) = decode(registry, "id INT", [b"\0" + number.to_bytes(4, "big")]).rejects
    assert "no Avro schema" in reject.detail


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"basic-auth.user-info": "me:canary"}, "Basic bWU6Y2FuYXJ5"),
        ({"bearer-auth.token": "canary"}, "Bearer canary"),
        ({"url": "http://me:canary@{host}"}, "Basic bWU6Y2FuYXJ5"),
    ],
)
def test_credentials_are_sent_and_never_told(registry: Registry, options: dict[str, str], header: str) -> None:
    registry.add(USER)
    host = registry.url.removeprefix("http://")
    url = options.pop("url", registry.url).format(host=host)
    message = written(USER, {"id": 1, "name": None, "level": "LOW"}, 1)
    assert rows(decode(registry, "id BIGINT", [message], **{"url": url, **options})) == [(1,)]
    assert {sent for _, _, sent in registry.requests} == {header}
    registry.answers["/schemas/ids/2"] = (401, {"message": "no"})
    with pytest.raises(OutsideError, match="does not let us in") as error:
        decode(registry, "id BIGINT", [b"\0\0\0\0\2"], **{"url": url, **options})
    assert "canary" not in str(error.value)


def test_a_registry_that_is_not_there(registry: Registry) -> None:
    with pytest.raises(OutsideError, match=r"'127\.0\.0\.1:1' cannot be reached"):
        decode(registry, "id INT", [b"\0\0\0\0\1"], url="http://me:canary@127.0.0.1:1")
    # The next one of the list is asked.
    registry.add(USER)
    message = written(USER, {"id": 1, "name": None, "level": "LOW"}, 1)
    assert rows(decode(registry, "id BIGINT", [message], url=f"http://127.0.0.1:1,{registry.url}")) == [(1,)]


def test_answers_that_are_not_followed(registry: Registry) -> None:
    registry.headers["Location"] = "http://127.0.0.1:1/elsewhere"
    registry.answers = {
        "/schemas/ids/1": (302, {}),
        "/schemas/ids/2": (200, b"x" * (2 << 20)),
        "/schemas/ids/3": (500, {}),
    }
    for number, why in ((1, "redirect"), (2, "too large"), (3, "status 500")):
        with pytest.raises(OutsideError, match=why):
            decode(registry, "id INT", [b"\0\0\0\0" + bytes([number])])


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.1.1", "100.100.100.200", "0.0.0.0"]
)
def test_addresses_that_are_refused(registry: Registry, address: str) -> None:
    with pytest.raises(Refused):
        check_address(address)
    if "%" not in address:
        host = f"[{address}]" if ":" in address else address
        with pytest.raises(UsageError, match="no schema registry may have"):
            decode(registry, "id INT", [b"\0\0\0\0\1"], url=f"http://{host}:8081")


def test_a_schema_that_the_registry_refuses(registry: Registry) -> None:
    registry.answers["/subjects/t-value/versions"] = (409, {"message": "not compatible"})
    fields = parse_columns("id INT")
    bound = bind(fields, "avro-confluent", {"url": registry.url, "subject": "t-value"})
    with pytest.raises(JobError, match="'t-value': not compatible"):
        make_encoder(bound).encode(pa.RecordBatch.from_pylist([{"id": 1}], arrow_schema(fields)))


def test_an_explicit_schema_is_taken_when_it_fits(registry: Registry) -> None:
    fields = parse_columns("id BIGINT NOT NULL, name STRING")
    own = {**USER, "fields": USER["fields"][:2]}
    options = {"url": registry.url, "subject": "s", "schema": json.dumps(own)}
    bound = bind(fields, "avro-confluent", options)
    assert make_encoder(bound).encode(pa.RecordBatch.from_pylist([{"id": 1, "name": None}], arrow_schema(fields))) == [
        b"\0\0\0\0\1\2\0"
    ]
    assert json.loads(registry.schemas[0]["schema"]) == own
    for schema in (json.dumps(USER), "no", "[]"):
        with pytest.raises(UsageError, match=r"'avro-confluent\.schema'"):
            make_encoder(bind(fields, "avro-confluent", options | {"schema": schema}))


_TYPES = (
    "INT",
    "BIGINT",
    "STRING",
    "DOUBLE",
    "BOOLEAN",
    "DECIMAL(6, 2)",
    "DATE",
    "TIMESTAMP(3)",
    "ROW<x INT, y STRING>",
)


def test_both_paths_agree() -> None:
    with Registry() as registry:

        @QUICK
        @given(st.data(), any_fields(_TYPES))
        def check(data: st.DataObject, fields: Any) -> None:
            names = [field.name for field in fields]
            texts = [json.dumps({field.name: data.draw(likely(field)) for field in fields}).encode() for _ in range(3)]
            batch = JsonDecoder(bind(fields, "json", {"ignore-parse-errors": "true"}), names).decode(texts).batch
            bound = bind(fields, "avro-confluent", {"url": registry.url, "subject": "s"})
            messages: list[bytes | None] = []
            for row in range(batch.num_rows):
                try:
                    messages += make_encoder(bound).encode(batch.slice(row, 1))
                except ValueError:
                    continue
            if messages:
                first = messages[0] or b""
                cut = data.draw(st.integers(0, len(first)))
                messages.append(first[:cut] + data.draw(st.binary(max_size=3)) + first[cut + 1 :])
            # The reader may lack columns and have others.
            kept = data.draw(st.lists(st.sampled_from(fields), unique=True))
            chosen = [*kept, *parse_columns("other INT")]
            reader = bind(chosen, "avro-confluent", {"url": registry.url})
            decoder = ConfluentDecoder(reader, reader.columns)
            assert_same(decoder.decode(messages), decoder.decode_exactly(messages))

        check()


def test_derived_schema_is_read_whole(registry: Registry) -> None:
    """The fast path takes it: the exact one would be asked for nothing else."""
    fields = parse_columns("id BIGINT, ts TIMESTAMP(3), r ROW<a STRING>")
    schema = derive_schema(fields)
    registry.add(schema)
    bound = bind(fields, "avro-confluent", {"url": registry.url})
    decoder = ConfluentDecoder(bound, ["ts", "id"])
    message = written(
        {**schema, "fields": [{"name": "id", "type": ["null", "long"]}, {"name": "ts", "type": ["null", "long"]}]},
        {"id": 1, "ts": 1000},
        1,
    )
    taken = decoder._fast([message + b"\0"] * 3)
    assert taken is not None
    assert [str(array[0]) for array in taken.arrays] == ["1970-01-01 00:00:01", "1"]
