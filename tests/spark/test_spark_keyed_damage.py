"""State of the engine that is not what was written is told in one sentence: which operator, which INSERT, what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession
from tests.faults.flip import KeptState

from firesteel.spark.failure import CarriedError, explain_failure
from firesteel.spark.lower.keyed import processor
from firesteel.spark.lower.keyed.processor import Processor
from firesteel.state.block import write_block
from firesteel.state.cache import Cache
from firesteel.state.operator.keep import KeepRow
from firesteel.state.operator.operator import INPUT


class Value:
    """A variable of Spark's state store."""

    def __init__(self) -> None:
        self.held: Any = None

    def get(self) -> Any:
        return self.held

    def update(self, value: Any) -> None:
        self.held = value


class Values:
    """A map of Spark's state store."""

    def __init__(self) -> None:
        self.held: dict[Any, Any] = {}

    def getValue(self, key: Any) -> Any:
        return self.held.get(key)

    def updateValue(self, key: Any, value: Any) -> None:
        self.held[key] = value

    def removeKey(self, key: Any) -> None:
        del self.held[key]


class Handle:
    """What Spark hands a processor."""

    def __init__(self) -> None:
        self.manifest, self.pieces = Value(), Values()

    def getValueState(self, name: str, schema: Any) -> Value:
        return self.manifest

    def getMapState(self, name: str, key: Any, value: Any) -> Values:
        return self.pieces


@pytest.fixture
def handle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Handle]:
    folders = iter(range(100))
    monkeypatch.setattr(processor, "batch_number", lambda: 1)
    monkeypatch.setattr(processor, "query_name", lambda: "1-dest")
    # Each batch has a cache of its own, so that all state is read from the store.
    monkeypatch.setattr(processor, "_cache", lambda name, bucket, memory: Cache(tmp_path / str(next(folders))))
    handle = Handle()
    work(handle)
    yield handle


def work(handle: Handle) -> list[Row]:
    rows = pa.RecordBatch.from_pydict({"__k1": [1, 2], "__k2": [3, 4], "k": ["a", "b"], "v": [1, 2]})
    one = Processor(KeepRow(("k",)), "op", 1 << 30)
    one.init(handle)
    return list(
        one.handleInputRows((0,), iter([Row(input=INPUT, part=0, number=0, clock=1, blob=write_block(rows))]), None)
    )


def told(handle: Handle) -> str:
    with pytest.raises(CarriedError) as caught:
        work(handle)
    trace = f"org.apache.spark.api.python.PythonException: Traceback …\n{caught.value}\n=== Streaming Query ==="
    return str(explain_failure(trace))


CURE = "Bring a copy back, or start over with --fresh."


def test_state_that_is_whole_is_used(handle: Handle) -> None:
    assert work(handle)


def test_a_changed_byte_of_a_piece_is_told(handle: Handle) -> None:
    ((name,), (blob,)), *_ = handle.pieces.held.items()
    for place in range(0, len(blob), 37):
        changed = bytearray(blob)
        changed[place] ^= 1
        handle.pieces.held[name,] = (bytes(changed),)
        assert told(handle).startswith("The state of 'KeepRow by k' in '1-dest' is damaged: its ")
        assert told(handle).endswith(CURE)


def test_a_missing_piece_is_told(handle: Handle) -> None:
    handle.pieces.held.clear()
    assert "is damaged: " in told(handle) and told(handle).endswith(CURE)


def test_a_changed_byte_of_the_manifest_is_told(handle: Handle) -> None:
    (manifest,) = handle.manifest.held
    for place in range(0, len(manifest), 37):
        changed = bytearray(manifest)
        changed[place] ^= 1
        handle.manifest.held = (bytes(changed),)
        expected = f"The state of 'KeepRow by k' in '1-dest' is damaged: its manifest is not what was written. {CURE}"
        assert told(handle) == expected


@pytest.mark.spark
def test_a_job_on_files_that_were_changed_says_so(tmp_path: Path, cluster: dict[str, str], spark: SparkSession) -> None:
    """Some bytes of some files of a real job's state; `python -m tests.faults.flip` changes each kind of byte in each kind of file."""
    (tmp_path / "kept").mkdir()
    state = KeptState(tmp_path / "kept", cluster, spark, f"flip-{tmp_path.name}", snapshots=True)
    files = list(state.files())
    chosen = {".zip": "middle", "v2": "length"}
    for kind, place in chosen.items():
        (file,) = (one for one in files if kind in (one.suffix, one.parent.name))
        assert " is damaged: '1-dest/state" in state.harm(tmp_path / place, file, place)
