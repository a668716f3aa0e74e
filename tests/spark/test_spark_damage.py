"""State whose files are damaged is told in one sentence, with the file, and no job goes on with it (finding d9)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.deadline import wait_for

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.record import write_records
from firesteel.errors import Blame
from firesteel.spark.damage import check_state, explain_damage
from firesteel.spark.job.checkpoint import Checkpoint
from firesteel.storage.local import LocalFolder

SCRIPT = """
SET 'parallelism.default' = '2';
SET 'state.backend.type' = '{backend}';
CREATE TABLE src (id BIGINT, k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka',
  'topic' = '{source}', {common}, 'format' = 'json', 'scan.startup.mode' = 'earliest-offset'{bound});
CREATE TABLE dest (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka',
  'topic' = '{sink}', {common}, 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO dest SELECT k, COUNT(*) FROM src GROUP BY k;
"""


class State:
    """The state of a job with three batches, of which each test damages a copy."""

    def __init__(self, folder: Path, cluster: dict[str, str], spark: SparkSession, backend: str) -> None:
        self.folder, self.cluster, self.spark = folder, cluster, spark
        topics = f"damage-{backend}-in", f"damage-{backend}-out"
        for topic in topics:
            create_topic(cluster, topic)
        self.topic = topics[0]
        common = f"'properties.bootstrap.servers' = '{cluster['bootstrap.servers']}'"
        self.text = SCRIPT.format(backend=backend, source=topics[0], sink=topics[1], common=common, bound="{bound}")
        (folder / "job.sql").write_text(self.text.format(bound=""))
        job = firesteel.start(folder / "job.sql", spark=spark)
        for batch in range(3):
            self.write()
            commit = folder / ".firesteel" / "job" / "1-dest" / "commits" / str(batch)
            wait_for(commit.exists)
        job.stop()

    def write(self) -> None:
        row = json.dumps({"id": 1, "k": "a", "ts": "2026-01-01 00:00:00"}).encode()
        write_records(self.cluster, self.topic, [(None, row)] * 20)

    def copy(self, folder: Path) -> Path:
        """A job on a copy of that state, with something to do. Gives the folder of its state."""
        self.write()
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        (folder / "job.sql").write_text(self.text.format(bound=", 'scan.bounded.mode' = 'latest-offset'"))
        return folder / ".firesteel" / "job"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory, cluster: dict[str, str], spark: SparkSession) -> State:
    return State(tmp_path_factory.mktemp("damage"), cluster, spark, "hashmap")


@pytest.fixture(scope="module")
def rocksdb(tmp_path_factory: pytest.TempPathFactory, cluster: dict[str, str], spark: SparkSession) -> State:
    return State(tmp_path_factory.mktemp("damage"), cluster, spark, "rocksdb")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def change(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    data[-1] ^= 0xFF
    path.write_bytes(bytes(data))


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


HOW = (empty, cut, change, remove)
Harm = Callable[[Path], None]


def _told(state: State, folder: Path, file: str, harm: Harm) -> firesteel.FiresteelError:
    job = state.copy(folder)
    harm(job / file)
    with pytest.raises(firesteel.JobError) as failed:
        firesteel.run(folder / "job.sql", spark=state.spark)
    assert failed.value.message.startswith(f"The state in '{job}' is damaged: '")
    assert failed.value.hint is not None
    assert failed.value.hint.startswith("Bring a copy back, or start over with --fresh.")
    assert failed.value.blame is Blame.JOB
    return failed.value


@pytest.mark.spark
@pytest.mark.parametrize("harm", HOW)
@pytest.mark.parametrize(
    "file", ["firesteel.json", "1-dest/metadata", "1-dest/layout.json", "1-dest/offsets/2", "1-dest/offsets/1"]
)
def test_findings_d9_a_file_that_can_be_looked_at(file: str, harm: Harm, state: State, tmp_path: Path) -> None:
    assert f"'{file}' is " in _told(state, tmp_path, file, harm).message


@pytest.mark.spark
@pytest.mark.parametrize("harm", [empty, cut, change])
def test_findings_d9_a_batch_that_was_done(harm: Harm, state: State, tmp_path: Path) -> None:
    """One that nothing is known of runs again, as after a crash."""
    assert "'1-dest/commits/2' is " in _told(state, tmp_path, "1-dest/commits/2", harm).message


@pytest.mark.parametrize("harm", [empty, cut, change])
@pytest.mark.parametrize("file", ["times/0.json", "transactions.json"])
def test_findings_d9_what_is_not_in_every_state(file: str, harm: Harm, tmp_path: Path) -> None:
    path = tmp_path / "1-dest" / file
    path.parent.mkdir(parents=True)
    path.write_text('{"topic": {"0": 5}, "batch": 1}')
    check_state(LocalFolder(str(tmp_path)), ["1-dest"])
    harm(path)
    with pytest.raises(firesteel.JobError, match=f"'1-dest/{file}' is "):
        check_state(LocalFolder(str(tmp_path)), ["1-dest"])


@pytest.mark.spark
@pytest.mark.parametrize(
    ("file", "harm"),
    [
        ("1-dest/state/0/0/3.delta", cut),
        ("1-dest/state/0/0/3.delta", change),
        ("1-dest/state/0/0/3.delta", remove),
        ("1-dest/state/0/0/_metadata/schema", empty),
        ("1-dest/state/0/0/_metadata/schema", change),
        ("1-dest/state", remove),
    ],
)
def test_findings_d9_what_only_spark_can_read(file: str, harm: Harm, state: State, tmp_path: Path) -> None:
    assert f"'{file}' " in _told(state, tmp_path, file, harm).message


@pytest.mark.spark
@pytest.mark.parametrize("harm", [cut, remove])
def test_findings_d9_a_damaged_file_of_rocksdb_is_named(harm: Harm, rocksdb: State, tmp_path: Path) -> None:
    job = rocksdb.folder / ".firesteel" / "job"
    # Each attempt of a batch has names of its own, and the commit says whose count.
    [changes] = [str(path.relative_to(job)) for path in job.glob("1-dest/state/0/0/3_*.changelog")]
    assert f"'{changes}' " in _told(rocksdb, tmp_path, changes, harm).message


@pytest.mark.spark
def test_a_copy_that_is_whole_goes_on_and_fresh_mends_the_rest(state: State, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    state.copy(whole)
    assert firesteel.run(whole / "job.sql", spark=state.spark).resumed
    remove(state.copy(broken) / "firesteel.json")
    assert not firesteel.run(broken / "job.sql", spark=state.spark, fresh=True).resumed


def test_what_a_crash_leaves_is_no_damage(tmp_path: Path) -> None:
    """A batch that was planned and not done, a query that never planned one, a log whose beginning has been purged."""
    checkpoint = Checkpoint(LocalFolder(str(tmp_path / "job")))
    plans = {"1-a": "plan", "2-b": "plan"}
    assert not checkpoint.open(plans, fresh=False)
    query = tmp_path / "job" / "1-a"
    for folder in ("offsets", "commits", "times"):
        (query / folder).mkdir(parents=True)
    (tmp_path / "job" / "2-b").mkdir()
    (query / "metadata").write_text('{"id":"x"}')
    (query / "layout.json").write_text('{"buckets":{"0":2}}')
    for batch in (98, 99, 100):
        (query / "offsets" / str(batch)).write_text('v1\n{"conf":{}}\n{"source":0}\n-')
    (query / "offsets" / ".101.some.tmp").write_text("")
    for batch in (98, 99):
        (query / "commits" / str(batch)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    checkpoint.close()
    assert checkpoint.open(plans, fresh=False)
    checkpoint.close()


def test_a_disk_without_room_is_no_damage() -> None:
    text = "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred\nCaused by: java.io.IOException: No space left on device"
    assert explain_damage(text) is None
    assert explain_damage(text.replace("No space left on device", "Stream is corrupted")) is not None
