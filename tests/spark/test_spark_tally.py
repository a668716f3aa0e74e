"""Findings A10 and D14: what is read otherwise than it stands is counted, and so is what holds no row."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from confluent_kafka import Message
from tests.formats.formats_tables import bind, parse_columns

from firesteel.connectors.staged_range import StagedRange
from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Reason, Reject
from firesteel.observe.snapshot import JobSnapshot, SourceSnapshot
from firesteel.spark.connector.kafka.read_spec import Decoding
from firesteel.spark.connector.kafka.record_decoder import RecordDecoder
from firesteel.spark.source.tally import Tally, take_tally
from firesteel.storage.local import LocalFolder
from firesteel.ui.text import render_json, render_summary


@pytest.mark.parametrize(
    ("name", "columns", "message", "row", "changed"),
    [
        ("json", "a BIGINT", b'{"a":4.7}', 4, True),
        ("json", "a INT", b'{"a":-0.5}', 0, True),
        ("json", "a INT", b'{"a":4.0}', 4, False),
        ("json", "a DECIMAL(3, 1)", b'{"a":1234}', None, True),
        ("json", "a DECIMAL(3, 1)", b'{"a":"1234.5"}', None, True),
        ("json", "a DECIMAL(3, 1)", b'{"a":12.34}', "12.3", False),
        ("json", "a DECIMAL(3, 1)", b'{"a":null}', None, False),
        ("debezium-json", "a BIGINT", b'{"before":null,"after":{"a":4.7},"op":"c"}', 4, True),
        ("canal-json", "a DECIMAL(3, 1)", b'{"data":[{"a":"1234"}],"type":"INSERT"}', None, True),
        ("csv", "a DECIMAL(3, 1)", b"1234", None, True),
        ("csv", "a DECIMAL(3, 1)", b"12.34", "12.3", False),
    ],
)
def test_findings_a10_a_value_that_does_not_fit_is_told(
    name: str, columns: str, message: bytes, row: object, changed: bool
) -> None:
    bound = bind(parse_columns(columns), name)
    decoded = make_decoder(bound, bound.columns).decode([message])
    [value] = decoded.batch.column(0).to_pylist()
    assert str(value) == str(row)
    assert [(reject.column, reject.kept) for reject in decoded.rejects] == ([("a", True)] if changed else [])


def kept(column: str | None) -> Reject:
    return Reject(0, Reason.BAD_VALUE, "", column, kept=True)


def test_findings_a10_a_range_that_is_read_twice_counts_once(tmp_path: Path) -> None:
    for start, end, count in ((0, 10, 1), (0, 10, 1), (10, 30, 2), (20, 30, 1)):
        tally = Tally()
        tally.add([kept("a")] * count + [kept(None), Reject(1, Reason.MALFORMED, "")], empty=count)
        tally.write(LocalFolder(str(tmp_path)), StagedRange(0, 7, "t", 0, start, end))
    Tally().write(LocalFolder(str(tmp_path)), StagedRange(0, 7, "t", 1, 0, 5))
    assert len(list((tmp_path / "0-7").iterdir())) == 3
    assert take_tally(LocalFolder(str(tmp_path)), 0, 7) == Tally({"a": 3, "(row)": 2}, 3)
    assert take_tally(LocalFolder(str(tmp_path)), 0, 7) == Tally()
    assert not list(tmp_path.iterdir())


_ROW = b'{"a":1}'
_UPDATE = b'{"before":{"a":1},"after":{"a":2},"op":"u"}'


@pytest.mark.parametrize(
    ("name", "values", "rows", "refused", "empty"),
    [
        ("json", [_ROW, _ROW], 2, [], 0),
        ("json", [_ROW, None, b"", _ROW], 2, [], 2),
        ("json", [b"{", None, _ROW], 1, [0], 1),
        ("json", [], 0, [], 0),
        ("debezium-json", [_UPDATE, _UPDATE], 4, [], 0),
        ("debezium-json", [_UPDATE, None, b"{", b"", _UPDATE], 4, [2], 2),
    ],
)
def test_a_message_is_empty_when_it_gives_neither_rows_nor_a_reject(
    name: str, values: list[bytes | None], rows: int, refused: list[int], empty: int
) -> None:
    bound = bind(parse_columns("a BIGINT"), name)
    decoder = RecordDecoder(Decoding(bound, None, bound.fields, {}, changes=name != "json"))
    messages = [Message(topic="t", partition=0, offset=place, value=value) for place, value in enumerate(values)]
    batch, rejects, counted = decoder.decode(messages)
    assert (batch.num_rows, [reject.index for reject in rejects], counted) == (rows, refused, empty)


def test_findings_a10_the_views_tell_it() -> None:
    source = SourceSnapshot("src", rows=3, changed={"amount": 2}, empty=1)
    snapshot = JobSnapshot("job", sources=(source,))
    assert "changed  src               2 values  in 'amount'" in render_summary(snapshot)
    assert "empty    src               1 messages without a row" in render_summary(snapshot)
    [told] = orjson.loads(render_json(snapshot))["sources"]
    assert (told["changed"], told["empty"]) == ({"amount": 2}, 1)
