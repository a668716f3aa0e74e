from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firesteel.connectors.kafka.options import SINK_DELIVERY_GUARANTEE
from firesteel.connectors.kafka.partitioner import PARTITIONER, Custom, Fixed
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.formats.avro_confluent.options import UrlKind
from firesteel.formats.csv.options import FIELD_DELIMITER, QUOTE_CHARACTER
from firesteel.formats.json.options import MAP_NULL_KEY_MODE, TIMESTAMP_FORMAT_STANDARD, MapNullKeyMode
from firesteel.formats.raw.options import CharsetKind
from firesteel.options.kind import (
    BOOLEAN,
    DURATION,
    INTEGER,
    LIST,
    LONG,
    NON_EMPTY,
    PATTERN,
    SPECIFIC_OFFSETS,
)
from firesteel.options.message import VALUE_FIELDS_INCLUDE, ValueFields
from firesteel.options.option import Kind
from firesteel.options.setting import TimeZoneKind

RIGHT: list[tuple[Kind[object], str, object]] = [
    (BOOLEAN, "TRUE", True),
    (BOOLEAN, "false", False),
    (INTEGER, "-7", -7),
    (LONG, "+9223372036854775807", 2**63 - 1),
    (DURATION, "300000", timedelta(minutes=5)),
    (DURATION, "1s", timedelta(seconds=1)),
    (DURATION, "5 min", timedelta(minutes=5)),
    (DURATION, " 2 Days ", timedelta(days=2)),
    (DURATION, "1500 micros", timedelta(microseconds=1500)),
    (DURATION, "7000 ns", timedelta(microseconds=7)),
    (LIST, "a", ("a",)),
    (LIST, "address; name", ("address", "name")),
    (LIST, "a,b", ("a,b",)),
    (LIST, "a;b;", ("a", "b")),
    (LIST, "[a, b]", ("a", "b")),
    (LIST, "['a, b', \"c\"]", ("a, b", "c")),
    (LIST, "'a;b';\"c;d\"", ("a;b", "c;d")),
    (LIST, "'it''s'", ("it's",)),
    (SPECIFIC_OFFSETS, "partition:0,offset:42", {0: 42}),
    (SPECIFIC_OFFSETS, "partition:0,offset:42;partition:0,offset:7;", {0: 7}),
    (FIELD_DELIMITER.kind, r"\t", "\t"),
    (FIELD_DELIMITER.kind, r"\u0001", "\x01"),
    (FIELD_DELIMITER.kind, "\t", "\t"),
    (FIELD_DELIMITER.kind, r"\\", "\\"),
    (QUOTE_CHARACTER.kind, "'", "'"),
    (MAP_NULL_KEY_MODE.kind, "drop", MapNullKeyMode.DROP),
    (VALUE_FIELDS_INCLUDE.kind, "except_key", ValueFields.EXCEPT_KEY),
    (SINK_DELIVERY_GUARANTEE.kind, "AT-LEASE-ONCE", DeliveryGuarantee.AT_LEAST_ONCE),
    (PARTITIONER, "fixed", Fixed()),
    (PARTITIONER, "shop.partition.ByRegion", Custom("shop.partition.ByRegion")),
    (CharsetKind(), "UTF-16LE", "utf-16-le"),
    (UrlKind(), "http://a:8081,https://b", "http://a:8081,https://b"),
    (TimeZoneKind(), "Asia/Shanghai", "Asia/Shanghai"),
    (TimeZoneKind(), "GMT+08:00", "GMT+08:00"),
]
WRONG: list[tuple[Kind[object], str]] = [
    (BOOLEAN, "yes"),
    (BOOLEAN, " true"),
    (INTEGER, "2147483648"),
    (INTEGER, "1_000"),
    (INTEGER, " 1"),
    (INTEGER, "9" * 1_000_000),
    (LONG, "12.0"),
    (DURATION, "-1"),
    (DURATION, "5 lightyears"),
    (DURATION, "9999999999999999999 d"),
    (DURATION, ""),
    (LIST, ""),
    (LIST, "a;;b"),
    (LIST, "'a"),
    (SPECIFIC_OFFSETS, ""),
    (SPECIFIC_OFFSETS, "partition:0,offset:42;;partition:1,offset:1"),
    (SPECIFIC_OFFSETS, "partition:0,offset:42,x"),
    (SPECIFIC_OFFSETS, "partition:-1,offset:42"),
    (FIELD_DELIMITER.kind, "||"),
    (FIELD_DELIMITER.kind, ""),
    (QUOTE_CHARACTER.kind, r"\t"),
    (TIMESTAMP_FORMAT_STANDARD.kind, "sql"),
    (VALUE_FIELDS_INCLUDE.kind, "EXCEPT-KEY"),
    (PARTITIONER, "custom"),
    (PARTITIONER, ""),
    (PATTERN, "("),
    (PATTERN, ""),
    (NON_EMPTY, " "),
    (CharsetKind(), "base64"),
    (CharsetKind(), "\x00"),
    (UrlKind(), "file:///etc/passwd"),
    (UrlKind(), "http://[broken"),
    (TimeZoneKind(), "../../etc/passwd"),
]


@pytest.mark.parametrize(("kind", "text", "value"), RIGHT)
def test_a_right_text_becomes_its_value(kind: Kind[object], text: str, value: object) -> None:
    assert kind.parse(text) == value


@pytest.mark.parametrize(("kind", "text"), WRONG, ids=[f"{kind.name}:{text[:20]}" for kind, text in WRONG])
def test_wrong_says_what_is_expected(kind: Kind[object], text: str) -> None:
    with pytest.raises(ValueError, match="expects"):
        kind.parse(text)


@given(st.sampled_from([kind for kind, _, _ in RIGHT] + [kind for kind, _ in WRONG]), st.text(max_size=40))
def test_any_text_is_a_value_or_a_value_error(kind: Kind[object], text: str) -> None:
    try:
        kind.parse(text)
    except ValueError as error:
        assert "expects" in str(error)
