"""A script whose state does not fit any more begins with empty state, where the job stopped: no row twice, none left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.dev.record import read_records, write_records
from firesteel.errors import UsageError

pytestmark = pytest.mark.spark


class Copied:
    """A job that copies rows exactly once."""

    def __init__(self, cluster: dict[str, str], make_topic: Callable[..., str], folder: Path) -> None:
        self.cluster, self.folder = cluster, folder
        self.source, self.sink = make_topic(partitions=2), make_topic()
        self.rows = 0

    @property
    def state(self) -> Path:
        return self.folder / ".firesteel" / "job"

    def run(self, spark: SparkSession, where: str, fresh: bool | str = False, rows: int = 10) -> None:
        numbers = range(self.rows, self.rows + rows)
        self.rows += rows
        write_records(self.cluster, self.source, [(str(n).encode(), json.dumps({"v": n}).encode()) for n in numbers])
        script = self.folder / "job.sql"
        script.write_text(
            create_table(self.cluster, "src", "v INT", self.source, EARLIEST, BOUNDED)
            + create_table(self.cluster, "dest", "v INT", self.sink, "'sink.delivery-guarantee' = 'exactly-once'")
            + f"INSERT INTO dest SELECT v FROM src WHERE {where};\n"
        )
        firesteel.run(script, spark=spark, fresh=fresh)  # type: ignore[arg-type]

    def written(self) -> list[int]:
        return sorted(json.loads(record.value or b"")["v"] for record in read_records(self.cluster, self.sink))


@pytest.fixture
def copied(cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path) -> Copied:
    return Copied(cluster, make_topic, tmp_path)


def test_a_changed_script_reads_on_where_the_job_stopped(copied: Copied, spark: SparkSession) -> None:
    copied.run(spark, "v >= 0")
    with pytest.raises(UsageError, match="--fresh-state"):
        copied.run(spark, "v >= 1")
    copied.run(spark, "v >= 1", "state", rows=0)
    assert copied.written() == list(range(20))
    # A batch that Kafka has and Spark does not know of is not written again.
    commits = copied.state / "1-dest" / "commits"
    max((path for path in commits.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name)).unlink()
    copied.run(spark, "v >= 2", "state")
    # It goes on from there without a word.
    copied.run(spark, "v >= 2")
    assert copied.written() == list(range(40))


def test_positions_are_kept_if_the_job_dies_while_it_gives_up_its_state(
    copied: Copied, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied.run(spark, "v >= 0")
    with monkeypatch.context() as patched:
        patched.setattr("firesteel.storage.local.LocalFolder.delete", _die)
        with pytest.raises(KeyboardInterrupt):
            copied.run(spark, "v >= 1", "state")
    assert (copied.state / "1-dest" / "offsets").exists()
    copied.run(spark, "v >= 1")
    assert copied.written() == list(range(30))


def _die(*_: object) -> None:
    raise KeyboardInterrupt
