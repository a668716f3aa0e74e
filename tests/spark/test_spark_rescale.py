"""A job that is started with another parallelism goes on with its state, exactly once; or it says why it cannot."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.dev.record import read_records, write_records
from firesteel.errors import UsageError
from firesteel.spark.job import move as job_move
from firesteel.spark.rescale import move
from firesteel.spark.rescale.layout import finish_move, read_layout
from firesteel.storage.local import LocalFolder

pytestmark = pytest.mark.spark

_EXACTLY = "'sink.delivery-guarantee' = 'exactly-once'"


class Rescaled:
    """An aggregate, a join, and a Top-N over an aggregate, run again and again with a number of tasks, and what they should have given."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.topics = {name: make_topic() for name in ("src", "totals", "pairs", "best")}
        self.rows: list[tuple[str, int]] = []

    def query(self, name: str) -> LocalFolder:
        return LocalFolder(str(self.folder / ".firesteel" / "job" / name))

    def tasks(self) -> dict[str, tuple[int, int]]:
        found = {name: read_layout(self.query(name)) for name in ("1-totals", "2-pairs", "3-best")}
        return {name: (kept.layout.tasks, kept.layout.buckets) for name, kept in found.items() if kept is not None}

    def script(self, tasks: int) -> Path:
        path = self.folder / "job.sql"
        tables = [
            ("src", "k STRING, v INT", f"{EARLIEST}, {BOUNDED}"),
            ("totals", "k STRING, n BIGINT, d BIGINT, PRIMARY KEY (k) NOT ENFORCED", f"{UPSERT}, {_EXACTLY}"),
            ("pairs", "k STRING, v INT, w INT", _EXACTLY),
            ("best", "r BIGINT, k STRING, n BIGINT, PRIMARY KEY (r) NOT ENFORCED", f"{UPSERT}, {_EXACTLY}"),
        ]
        path.write_text(
            f"SET 'parallelism.default' = '{tasks}';\n"
            + "".join(
                create_table(self.cluster, name, columns, self.topics[name], *options)
                for name, columns, *options in tables
            )
            + "INSERT INTO totals SELECT k, COUNT(*), COUNT(DISTINCT v) FROM src GROUP BY k;\n"
            "INSERT INTO pairs SELECT a.k, a.v, b.v FROM src a JOIN src b ON a.k = b.k AND a.v < b.v;\n"
            "INSERT INTO best SELECT r, k, n FROM (SELECT k, n, ROW_NUMBER() OVER (ORDER BY n DESC, k) AS r FROM"
            " (SELECT k, COUNT(*) AS n FROM src GROUP BY k)) WHERE r <= 3;\n"
        )
        return path

    def write(self, rows: list[tuple[str, int]]) -> None:
        self.rows += rows
        records = [(None, json.dumps({"k": k, "v": v}).encode()) for k, v in rows]
        write_records(self.cluster, self.topics["src"], records)

    def run(self, tasks: int, spark: SparkSession) -> int | None:
        job = firesteel.start(self.script(tasks), spark=spark)
        try:
            assert job.wait(120)
        finally:
            job.stop()
        return job.moved_to

    def forget_last_commit(self, query: str) -> None:
        """As if the job had died after Kafka's commit and before Spark's."""
        done = self.query(query).child("commits")
        done.delete(str(max(int(name) for name in done.list() if name.isdecimal())))

    def _read(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(record.value) for record in read_records(self.cluster, self.topics[name]) if record.value]

    def check(self) -> None:
        values: dict[str, list[int]] = {}
        for k, v in self.rows:
            values.setdefault(k, []).append(v)
        totals = {row["k"]: (row["n"], row["d"]) for row in self._read("totals")}
        assert totals == {k: (len(found), len(set(found))) for k, found in values.items()}
        pairs = Counter((row["k"], row["v"], row["w"]) for row in self._read("pairs"))
        assert pairs == Counter((k, v, w) for k, found in values.items() for v in found for w in found if v < w)
        best = {row["r"]: (row["k"], row["n"]) for row in self._read("best")}
        ranked = sorted(((k, len(found)) for k, found in values.items()), key=lambda one: (-one[1], one[0]))
        assert best == dict(enumerate(ranked[:3], start=1))


@pytest.fixture
def rescaled(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Rescaled:
    return Rescaled(cluster, make_topic, tmp_path)


def _rows(turn: int) -> list[tuple[str, int]]:
    return [(f"k{number % 7}", turn + number % 2) for number in range(14 + turn)]


def test_a_job_goes_on_in_more_and_in_fewer_tasks(
    rescaled: Rescaled, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    rescaled.write(_rows(0))
    assert rescaled.run(2, spark) is None
    assert set(rescaled.tasks().values()) == {(2, 2)}
    rescaled.check()

    # A batch that Kafka has and Spark does not know of is finished in the tasks it was begun in.
    rescaled.forget_last_commit("2-pairs")
    rescaled.write(_rows(1))
    assert rescaled.run(4, spark) == 4
    assert set(rescaled.tasks().values()) == {(4, 4)}
    rescaled.check()

    # It dies when the second query is as good as moved.
    moved = list[str]()

    def die(query: LocalFolder, *rest: Any) -> None:
        moved.append(query.name)
        if query.name == "2-pairs":
            raise KeyboardInterrupt
        finish_move(query, *rest)

    monkeypatch.setattr(move, "finish_move", die)
    with pytest.raises(KeyboardInterrupt):
        rescaled.run(3, spark)
    monkeypatch.setattr(move, "finish_move", finish_move)
    assert moved == ["1-totals", "2-pairs"]
    assert rescaled.tasks() == {"1-totals": (3, 3), "2-pairs": (4, 4), "3-best": (4, 4)}
    rescaled.write(_rows(2))
    assert rescaled.run(3, spark) == 3
    assert set(rescaled.tasks().values()) == {(3, 3)}
    rescaled.check()


def test_state_in_the_format_of_the_version_before_goes_on_and_moves(rescaled: Rescaled, spark: SparkSession) -> None:
    rescaled.write(_rows(0))
    earlier = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "1"}
    firesteel.run(rescaled.script(2), spark=spark, settings=earlier)
    for name in ("1-totals", "2-pairs", "3-best"):
        rescaled.query(name).delete("layout.json")
    (rescaled.folder / ".firesteel" / "job" / "firesteel.json").write_text(
        json.dumps(
            {**json.loads((rescaled.folder / ".firesteel" / "job" / "firesteel.json").read_text()), "version": 1}
        )
    )
    rescaled.write(_rows(1))
    assert rescaled.run(4, spark) == 4
    rescaled.check()
    assert rescaled.query("2-pairs").read_text("commits/2").startswith("v1")


HASH_MAP = """
SET 'parallelism.default' = '{tasks}';
CREATE TABLE src (k STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '10', 'fields.k.length' = '1');
CREATE TABLE dest (k STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO dest SELECT k, COUNT(*) FROM src GROUP BY k;
"""


def test_state_in_hash_maps_is_not_moved_and_the_job_says_so(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "job.sql"
    script.write_text(HASH_MAP.format(tasks=2))
    firesteel.run(script, spark=spark)
    script.write_text(HASH_MAP.format(tasks=4))
    monkeypatch.setattr(job_move, "laid_out", None)
    with pytest.raises(UsageError) as caught:
        firesteel.run(script, spark=spark)
    assert str(caught.value) == (
        "The state of '1-dest' is in the hash maps of 2 tasks, which cannot be dealt to 4: Spark deals only what is in RocksDB."
        " SET 'parallelism.default' = '2', or start over with --fresh and 'state.backend.type' = 'rocksdb'."
    )


def test_state_stays_where_it_is_if_the_script_does_not_say(tmp_path: Path, spark: SparkSession) -> None:
    script = tmp_path / "job.sql"
    script.write_text(HASH_MAP.format(tasks=3))
    firesteel.run(script, spark=spark)
    script.write_text(re.sub("SET[^;]*;", "", HASH_MAP))
    job = firesteel.start(script, spark=spark)
    assert job.wait(60) and job.moved_to is None
    kept = read_layout(LocalFolder(str(tmp_path / ".firesteel" / "job" / "1-dest")))
    assert kept is not None and kept.layout.tasks == 3
