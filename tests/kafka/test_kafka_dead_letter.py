"""Staging bad records: the same file however often a range is read, nothing half written, nothing written twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Message

from firesteel.connectors.kafka.read.reader import read_range
from firesteel.connectors.kafka.write.bad_record import DeadLetters, Stage, flush_letters, write_letters
from firesteel.connectors.kafka.write.writer import Writer, writer_config
from firesteel.connectors.staged_range import StagedRange, remove_staged, staged_ranges
from firesteel.dev.record import read_records, write_records
from firesteel.errors import JobError
from firesteel.formats.codec import Reason, Reject
from firesteel.storage.local import LocalFolder

pytestmark = pytest.mark.kafka


def messages(cluster: dict[str, str], topic: str, values: list[bytes | None]) -> list[Message]:
    write_records(cluster, topic, [(b"k", value) for value in values])
    return [message for block in read_range(cluster, topic, 0, 0, len(values)) for message in block]


def bad(index: int, kept: bool = False) -> Reject:
    return Reject(index, Reason.BAD_VALUE, "no number", "n", kept)


def test_a_range_read_twice_is_staged_once(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = make_topic(), make_topic()
    found = messages(cluster, source, [b"a", b"b", None, b"d"])
    for _ in range(2):
        stage = Stage(LocalFolder(str(tmp_path)), StagedRange(0, 7, source, 0, 0, 4))
        # Two things wrong with one message are one dead letter; a row that was kept is none.
        stage.add(found, [bad(3), bad(1), bad(1), bad(0, kept=True), bad(2)])
        stage.close()
    # A task that died has left something unfinished.
    (tmp_path / "0-7" / ".rest").write_bytes(b"half")
    files = staged_ranges(LocalFolder(str(tmp_path)), {0: 7})
    assert len(files) == 1
    letters = DeadLetters(0, "src", "job", target, cluster)
    writer = Writer(writer_config(cluster))
    assert write_letters(writer, letters, LocalFolder(str(tmp_path)), files) == 3
    flush_letters(writer, letters)
    records = list(read_records(cluster, target))
    assert [record.value for record in records] == [b"b", None, b"d"]
    assert records[0].timestamp == found[1].timestamp()[1]
    assert dict(records[2].headers) == {
        "__error.reason": b"bad-value",
        "__error.detail": b"no number",
        "__error.column": b"n",
        "__error.topic": source.encode(),
        "__error.partition": b"0",
        "__error.offset": b"3",
        "__error.table": b"src",
        "__error.job": b"job",
    }


def test_ranges_cut_elsewhere_give_each_record_once(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = make_topic(), make_topic()
    found = messages(cluster, source, [b"0", b"1", b"2", b"3"])
    for start, end in ((0, 4), (0, 2), (2, 4)):
        stage = Stage(LocalFolder(str(tmp_path)), StagedRange(0, 1, source, 0, start, end))
        stage.add(found, [bad(index) for index in range(start, end)])
        stage.close()
    letters = DeadLetters(0, "src", "job", target, cluster)
    writer = Writer(writer_config(cluster))
    assert (
        write_letters(writer, letters, LocalFolder(str(tmp_path)), staged_ranges(LocalFolder(str(tmp_path)), {0: 1}))
        == 4
    )
    flush_letters(writer, letters)


def test_what_is_done_goes(tmp_path: Path) -> None:
    for name in ("0-1", "0-2", "0-3", "1-2"):
        (tmp_path / name).mkdir()
    remove_staged(LocalFolder(str(tmp_path)), {0: 2, 1: 1})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0-3", "1-2"]
    remove_staged(LocalFolder(str(tmp_path / "nowhere")), {0: 2})


def test_a_record_that_is_too_large_is_said(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = make_topic(), make_topic(max_message_bytes="2000")
    stage = Stage(LocalFolder(str(tmp_path)), StagedRange(0, 1, source, 0, 0, 1))
    stage.add(messages(cluster, source, [b"x" * 5000]), [bad(0)])
    stage.close()
    letters = DeadLetters(0, "src", "job", target, cluster)
    writer = Writer(writer_config(cluster))
    with pytest.raises(JobError, match=f"A bad record of 'src' cannot be written to '{target}'") as error:
        write_letters(writer, letters, LocalFolder(str(tmp_path)), staged_ranges(LocalFolder(str(tmp_path)), {0: 1}))
        flush_letters(writer, letters)
    assert "max.message.bytes" in str(error.value)
