"""How the state of a query is laid out stands in its folder, and a move that was not committed leaves nothing. No JVM is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.errors import JobError, UsageError
from firesteel.spark.job.checkpoint import Checkpoint
from firesteel.spark.job.kept_positions import read_kept
from firesteel.spark.layout import Layout
from firesteel.spark.rescale.layout import begin_move, finish_move, note_start, read_layout, undo_move
from firesteel.spark.source.kept import Kept
from firesteel.storage.local import LocalFolder

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def plan_batch(query: LocalFolder, batch: int, tasks: int) -> None:
    conf = {"spark.sql.shuffle.partitions": str(tasks), "spark.sql.streaming.stateStore.providerClass": ROCKSDB}
    query.write_text(f"offsets/{batch}", f'v1\n{json.dumps({"batchTimestampMs": 5, "conf": conf})}\n{{"source":0}}')


@pytest.fixture
def query(tmp_path: Path) -> LocalFolder:
    """A query of one operator in two tasks, whose batch 1 is done."""
    query = LocalFolder(str(tmp_path / "1-dest"))
    note_start(query, 2)
    for batch in range(2):
        plan_batch(query, batch, 2)
        query.write_text(f"commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
        query.write_text(f"state/0/_metadata/v2/{batch}", 'v2\n{"stateStoreInfo":[{"numPartitions":2}]}')
        for task in range(2):
            query.write_text(f"state/0/{task}/{batch + 1}.changelog", "")
    return query


def test_state_is_laid_out_as_its_last_batch_says(query: LocalFolder) -> None:
    kept = read_layout(query)
    assert kept is not None and kept.is_in_rocksdb and kept.has_state and not kept.is_begun
    assert (kept.layout, kept.batch) == (Layout(2, 2), 1)
    plan_batch(query, 2, 2)
    begun = read_layout(query)
    assert begun is not None and begun.is_begun


def test_state_of_the_version_before_has_as_many_buckets_as_tasks(query: LocalFolder) -> None:
    query.delete("layout.json")
    kept = read_layout(query)
    assert kept is not None and kept.layout == Layout(2, 2)


def test_a_move_counts_from_its_commit_on(query: LocalFolder) -> None:
    before = {name: query.read(name) for name in query.files()}
    begin_move(query, 2, Layout(4, 8))
    kept = read_layout(query)
    assert kept is not None and kept.layout == Layout(2, 2)
    for task in range(4):
        query.write_text(f"state/0/{task}/3.zip", "")
        query.write_text(f"state/0/{task}/left/3_4fe1.changelog.crc", "")
    # The process dies; the next one finds the state as it was.
    assert undo_move(query) and not undo_move(query)
    assert {name: query.read(name) for name in query.files()} == before
    begin_move(query, 2, Layout(4, 8))
    finish_move(query, 2, Layout(4, 8), {"0": [["a"], ["b"]]})
    kept = read_layout(query)
    assert kept is not None and kept.layout == Layout(4, 8) and kept.batch == 2 and not kept.is_begun
    assert not undo_move(query)
    assert query.read_text("state/0/_metadata/v2/2") == 'v2\n{"stateStoreInfo":[{"numPartitions":4}]}'
    assert json.loads(query.read_text("commits/2").split("\n")[1])["stateUniqueIds"] == {"0": [["a"], ["b"]]}


@pytest.mark.parametrize("text", ["", "[]", '{"buckets":[1]}', '{"buckets":{"a":1}}'])
def test_a_damaged_layout_is_told(query: LocalFolder, text: str) -> None:
    query.write_text("layout.json", text)
    with pytest.raises(JobError, match=r"layout\.json"):
        read_layout(query)


def test_state_of_another_format_is_told_before_the_start(tmp_path: Path) -> None:
    folder = LocalFolder(str(tmp_path / "job"))
    plans = {"1-dest": "Aggregate(k) on the state engine"}
    checkpoint = Checkpoint(folder)
    assert not checkpoint.open(plans, fresh=False)
    checkpoint.close()
    folder.write_text("firesteel.json", json.dumps({**json.loads(folder.read_text("firesteel.json")), "engine": 99}))
    with pytest.raises(UsageError, match=r"has format 99, and this version of Firesteel reads \d+\..*--fresh-state"):
        checkpoint.open(plans, fresh=False)
    assert not checkpoint.open(plans, fresh="state", read_kept=lambda query, before: before)
    checkpoint.close()
    assert checkpoint.open(plans, fresh=False)
    checkpoint.close()


def test_positions_are_kept_over_a_second_fresh_state_without_a_batch_between(tmp_path: Path) -> None:
    checkpoint = Checkpoint(LocalFolder(str(tmp_path / "job")))
    stood = Kept(0, {("views", 0): 5}, {"views": "x"})
    checkpoint.open({"1-dest": "a"}, fresh=False)
    checkpoint.close()
    checkpoint.open({"1-dest": "b", "2-new": "c"}, fresh="state", read_kept=lambda *_: (stood,))
    checkpoint.close()
    assert checkpoint.kept("1-dest") == (stood,) and checkpoint.kept("2-new") == ()
    never = lambda *_: False  # noqa: E731
    checkpoint.open({"3-dest": "d"}, fresh="state", read_kept=lambda query, before: read_kept(query, before, never))
    checkpoint.close()
    assert checkpoint.kept("3-dest") == (stood,)


def test_positions_behind_a_batch_that_was_written_are_kept(query: LocalFolder) -> None:
    for batch, offset in ((1, 5), (2, 9)):
        text = f'v1\n{{}}\n{{"source":0,"positions":{{"views":{{"0":{offset}}}}},"topics":{{"views":"x"}}}}\n-'
        query.write_text(f"offsets/{batch}", text)
    for written, offset in ((False, 5), (True, 9)):
        (found,) = read_kept(query, (), lambda *_, written=written: written)
        assert found == Kept(0, {("views", 0): offset}, {"views": "x"})
