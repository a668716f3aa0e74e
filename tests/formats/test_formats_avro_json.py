"""Avro's JSON encoding. What is written and what is read was recorded from Flink 2.3, message by message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import QUICK, TYPES, any_fields, likely
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.codec import Reason
from firesteel.formats.json.decoder import JsonDecoder
from firesteel.types import Field

JSON = {"encoding": "json"}
COLUMNS = (
    "b BOOLEAN, i INT NOT NULL, t TINYINT, l BIGINT, f FLOAT, d DOUBLE, s STRING, y BYTES, de DECIMAL(10, 2), da DATE, "
    "ti TIME(3), ts TIMESTAMP(3), a ARRAY<INT>, an ARRAY<INT NOT NULL>, m MAP<STRING, INT>, r ROW<x INT, y ROW<z STRING>>"
)
ROWS: list[dict[str, Any]] = [
    {
        "b": True,
        "i": 1,
        "t": 5,
        "l": -7,
        "f": 1.5,
        "d": 1e10,
        "s": 'a"é\u2028\U0001f600\n\u007f/',
        "y": "AP/+",
        "de": 123.45,
        "da": "2020-11-11",
        "ti": "18:08:01.123",
        "ts": "2020-11-11 18:08:01.123",
        "a": [1, None],
        "an": [3],
        "m": {"n": None, "k": 1},
        "r": {"x": 1, "y": {"z": "q"}},
    },
    {"i": 2},
    {
        "i": 3,
        "f": "NaN",
        "d": "-Infinity",
        "l": 9007199254740993,
        "de": -0.01,
        "s": "",
        "y": "",
        "a": [],
        "m": {},
        "r": {"x": None, "y": None},
    },
    {"i": 4, "f": 3.4e38, "d": 0.1, "de": 0},
]
WRITTEN = [
    b'{"b":{"boolean":true},"i":1,"t":{"int":5},"l":{"long":-7},"f":{"float":1.5},"d":{"double":1.0E10},'
    b'"s":{"string":"a\\"\xc3\xa9\xe2\x80\xa8\\uD83D\\uDE00\\n\x7f/"},"y":{"bytes":"\\u0000\xc3\xbf\xc3\xbe"},'
    b'"de":{"bytes":"09"},"da":{"int":18577},"ti":{"int":65281123},"ts":{"long":1605118081123},'
    b'"a":{"array":[{"int":1},null]},"an":{"array":[3]},"m":{"map":{"n":null,"k":{"int":1}}},'
    b'"r":{"org.apache.flink.avro.generated.record_r":{"x":{"int":1},'
    b'"y":{"org.apache.flink.avro.generated.record_r_y":{"z":{"string":"q"}}}}}}',
    b'\n{"b":null,"i":2,"t":null,"l":null,"f":null,"d":null,"s":null,"y":null,"de":null,"da":null,"ti":null,"ts":null,'
    b'"a":null,"an":null,"m":null,"r":null}',
    b'\n{"b":null,"i":3,"t":null,"l":{"long":9007199254740993},"f":{"float":"NaN"},"d":{"double":"-Infinity"},'
    b'"s":{"string":""},"y":{"bytes":""},"de":{"bytes":"\xc3\xbf"},"da":null,"ti":null,"ts":null,"a":{"array":[]},'
    b'"an":null,"m":{"map":{}},"r":{"org.apache.flink.avro.generated.record_r":{"x":null,"y":null}}}',
    b'\n{"b":null,"i":4,"t":null,"l":null,"f":{"float":3.4E38},"d":{"double":0.1},"s":null,"y":null,'
    b'"de":{"bytes":"\\u0000"},"da":null,"ti":null,"ts":null,"a":null,"an":null,"m":null,"r":null}',
]


def decode(columns: str, message: bytes) -> Any:
    """The row, or why there is none."""
    bound = bind(parse_columns(columns), "avro", JSON)
    decoded = make_decoder(bound, bound.columns).decode([message])
    if decoded.rejects:
        assert decoded.batch.num_rows == 0
        return decoded.rejects[0].reason
    return tuple(decoded.batch.to_pylist()[0].values())


def test_rows_are_written_as_flink_writes_them() -> None:
    fields = parse_columns(COLUMNS)
    names = [field.name for field in fields]
    batch = JsonDecoder(bind(fields, "json"), names).decode([json.dumps(row).encode() for row in ROWS]).batch
    bound = bind(fields, "avro", JSON)
    assert make_encoder(bound).encode(batch) == WRITTEN
    decoder = make_decoder(bound, names)
    assert decoder.decode(WRITTEN[:2]).batch.equals(batch.slice(0, 2))
    # What Avro writes for NaN it does not read.
    assert [reject.index for reject in decoder.decode(WRITTEN).rejects] == [2]


TWO = "s STRING, i INT NOT NULL"


@pytest.mark.parametrize(
    ("columns", "message", "row"),
    [
        (TWO, '{"i":1,"s":{"string":"x"}}', ("x", 1)),
        (TWO, '{"s":{"string":"x"},"i":1}', ("x", 1)),
        (TWO, '{"s":null,"i":1,"extra":5}', (None, 1)),
        (TWO, '{"s":"x","i":1}', Reason.MALFORMED),
        (TWO, '{"s":null,"i":"1"}', Reason.MALFORMED),
        (TWO, '{"s":null,"i":1.5}', (None, 1)),
        (TWO, '{"s":{"int":1},"i":1}', Reason.MALFORMED),
        (TWO, '{"i":1}', Reason.MALFORMED),
        (TWO, '{"s":{"string":5},"i":1}', Reason.MALFORMED),
        (TWO, ' {"s":null,"i":3} {"s":null,"i":4}', (None, 3)),
        (TWO, "[]", Reason.MALFORMED),
        (TWO, "", Reason.MALFORMED),
        (TWO, "null", Reason.MALFORMED),
        (TWO, '{"s":null,"i":99999999999}', Reason.BAD_VALUE),
        (TWO, '{"s":null,"i":1', Reason.MALFORMED),
        (TWO, '{"s":null,"s":{"string":"b"},"i":1}', (None, 1)),
        (TWO, '{"i":1,"i":2,"s":null,"s":{"string":"z"}}', (None, 2)),
        (TWO, '{"s":{"string":"x","int":1},"i":1}', ("x", 1)),
        (TWO, '{"s":{"string":"x","q":{"w":[1]}},"i":1}', Reason.MALFORMED),
        (TWO, '{"s":{},"i":1}', Reason.MALFORMED),
        (TWO, '{"s":{"string":null},"i":1}', Reason.MALFORMED),
        (TWO, '{"s":{"null":null},"i":1}', (None, 1)),
        (TWO, '{"i":1,"s":null}garbage', (None, 1)),
        (TWO, '{"i":NaN,"s":null}', Reason.MALFORMED),
        (TWO, '{"i":1,"s":{"string":"\t"}}', Reason.MALFORMED),
        (TWO, '{"i":1,"s":{"string":"\\ud83d\\ude00"}}', ("\U0001f600", 1)),
        ("l BIGINT NOT NULL", '{"l":1.9}', (1,)),
        ("l BIGINT NOT NULL", '{"l":1e3}', (1000,)),
        ("l BIGINT NOT NULL", '{"l":-0.5}', (0,)),
        ("l BIGINT NOT NULL", '{"l":9223372036854775808.0}', (2**63 - 1,)),
        ("l BIGINT NOT NULL", '{"l":99999999999999999999}', Reason.BAD_VALUE),
        ("l BIGINT NOT NULL", '{"l":1e400}', Reason.BAD_VALUE),
        ("f FLOAT NOT NULL", '{"f":1}', (1.0,)),
        ("f FLOAT NOT NULL", '{"f":16777217}', (16777216.0,)),
        ("f FLOAT NOT NULL", '{"f":1e99}', (float("inf"),)),
        ("f FLOAT NOT NULL", '{"f":"1.5"}', Reason.MALFORMED),
        ("d DOUBLE NOT NULL", '{"d":"Infinity"}', Reason.MALFORMED),
        ("b BOOLEAN NOT NULL", '{"b":1}', Reason.MALFORMED),
        ("y BYTES NOT NULL", '{"y":"\\u00ff\\u0100"}', (b"\xff?",)),
        ("y BYTES NOT NULL", '{"y":"ÿ"}', (b"\xff",)),
        ("t TINYINT NOT NULL", '{"t":300}', (44,)),
        ("m MAP<STRING, INT NOT NULL> NOT NULL", '{"m":{"a":1,"a":2}}', ([("a", 2)],)),
        ("m MAP<STRING, INT NOT NULL> NOT NULL", '{"m":null}', Reason.MALFORMED),
        ("a ARRAY<INT> NOT NULL", '{"a":[1]}', Reason.MALFORMED),
        ("a ARRAY<INT> NOT NULL", '{"a":[{"int":1},null]}', ([1, None],)),
        ("d DECIMAL(4, 2)", '{"d":{"bytes":"09"}}', (None,)),
        ("d DECIMAL(4, 2)", '{"d":{"bytes":""}}', Reason.BAD_VALUE),
        ("r ROW<x INT NOT NULL> NOT NULL", '{"r":{"x":1,"z":[1,{"q":2}]}}', ({"x": 1},)),
        ("r ROW<x INT NOT NULL>", '{"r":{"record_r":{"x":1}}}', Reason.MALFORMED),
        ("r ROW<x INT NOT NULL>", '{"r":{"org.apache.flink.avro.generated.record_r":{"x":1}}}', ({"x": 1},)),
        ("ti TIME(3) NOT NULL", '{"ti":99999999}', Reason.BAD_VALUE),
        ("s STRING", "{}", Reason.MALFORMED),
        ("s STRING", '{"S":null}', Reason.MALFORMED),
        ("s STRING", '[{"s":null}]', Reason.MALFORMED),
    ],
)
def test_messages_are_read_as_flink_reads_them(columns: str, message: str, row: Any) -> None:
    assert decode(columns, message.encode()) == row


def test_unread_columns_are_not_decoded() -> None:
    bound = bind(parse_columns("a INT, b INT"), "avro", JSON)
    assert make_decoder(bound, ["b"]).decode([b'{"a":"bad","b":{"int":1}}']).batch.to_pylist() == [{"b": 1}]


_TYPES = (*TYPES, "ROW<x INT NOT NULL, y STRING>", "ARRAY<INT>", "MAP<STRING, INT>", "ARRAY<ROW<x INT>>")


@QUICK
@given(st.data(), any_fields(_TYPES))
def test_what_is_written_is_read_back(data: st.DataObject, fields: tuple[Field, ...]) -> None:
    names = [field.name for field in fields]
    texts = [json.dumps({field.name: data.draw(likely(field)) for field in fields}).encode() for _ in range(3)]
    batch = JsonDecoder(bind(fields, "json", {"ignore-parse-errors": "true"}), names).decode(texts).batch
    bound = bind(fields, "avro", JSON)
    for row in range(batch.num_rows):
        one = batch.slice(row, 1)
        try:
            messages = make_encoder(bound).encode(one)
        except ValueError:
            continue
        if any(word in (messages[0] or b"") for word in (b'"NaN"', b'Infinity"')):
            continue
        decoded = make_decoder(bound, names).decode(messages)
        assert not decoded.rejects
        # A timestamp has lost what is finer than its type.
        assert make_encoder(bound).encode(decoded.batch) == messages
