"""The engines, each at its best honest settings: two tasks, and progress kept every ten seconds or oftener."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench.environment import FLINK_JARS, SPARK_JARS, jars_of, python_of
from firesteel.dev.broker.jars import kafka_jars

_FLINK = {
    "parallelism.default": "2",
    "pipeline.object-reuse": "true",
    "execution.checkpointing.interval": "10s",
    "restart-strategy.type": "none",
}
_TUNED = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1s",
    "table.exec.mini-batch.size": "50000",
    "table.optimizer.agg-phase-strategy": "TWO_PHASE",
    "table.optimizer.distinct-agg.split.enabled": "true",
}


def _no_jars() -> list[Path]:
    return []


@dataclass(frozen=True)
class Engine:
    """`job` is the script in `bench/job` that runs the runs; `python` and `jars` make what it needs on first use."""

    name: str
    title: str
    job: str
    python: Callable[[], Path]
    jars: Callable[[], list[Path]] = _no_jars
    settings: Mapping[str, str] = field(default_factory=dict)
    #: The workloads it has a program for; empty: all.
    workloads: frozenset[str] = frozenset()
    #: Whether it closes the last windows when a bounded input ends.
    ends_windows: bool = True
    #: The engine of ours it is compared with: the one that keeps its state in the same place.
    peer: str = "firesteel"

    @property
    def own(self) -> str:
        """The engine of ours in whose company it is measured: itself, or the one it is compared with."""
        return self.name if self.job == "firesteel" else self.peer

    def can(self, workload: str) -> bool:
        return not self.workloads or workload in self.workloads


def _flink_python() -> Path:
    return python_of("flink-2.3.0", "apache-flink==2.3.0")


def _flink_jars() -> list[Path]:
    return jars_of("flink-2.3.0", FLINK_JARS)


#: Each of ours, and behind it those that are compared with it: they run in turns.
ENGINES = (
    Engine("firesteel", "Firesteel", "firesteel", lambda: Path(sys.executable)),
    Engine("flink", "Flink 2.3.0, default", "flink", _flink_python, _flink_jars, _FLINK),
    Engine(
        "flink-tuned",
        "Flink 2.3.0, mini-batch, two phases, split distinct",
        "flink",
        _flink_python,
        _flink_jars,
        {**_FLINK, **_TUNED},
        workloads=frozenset({"reference"}),
    ),
    Engine(
        "spark",
        "Spark 4.0.0 by hand",
        "spark",
        lambda: python_of("spark-4.0.0", "pyspark==4.0.0"),
        lambda: jars_of("spark-4.0.0", SPARK_JARS),
        ends_windows=False,
    ),
    Engine(
        "quix",
        "Quix Streams 3.28.1",
        "quix",
        lambda: python_of("quixstreams-3.28.1", "quixstreams==3.28.1"),
        workloads=frozenset({"pass"}),
    ),
    Engine(
        "firesteel-rocksdb",
        "Firesteel, RocksDB",
        "firesteel",
        lambda: Path(sys.executable),
        settings={"state.backend.type": "rocksdb"},
        workloads=frozenset({"reference"}),
    ),
    Engine(
        "flink-rocksdb",
        "Flink 2.3.0, RocksDB, mini-batch, two phases, split distinct",
        "flink",
        _flink_python,
        _flink_jars,
        {**_FLINK, **_TUNED, "state.backend.type": "rocksdb"},
        workloads=frozenset({"reference"}),
        peer="firesteel-rocksdb",
    ),
    Engine(
        "flink-rocksdb-default",
        "Flink 2.3.0, RocksDB, default",
        "flink",
        _flink_python,
        _flink_jars,
        {**_FLINK, "state.backend.type": "rocksdb"},
        workloads=frozenset({"reference"}),
        peer="firesteel-rocksdb",
    ),
)


def install(engines: Iterable[Engine]) -> None:
    """What they and the broker need and is not there yet, all of it at once: most of the time is waiting."""
    needed: set[Callable[[], object]] = {kafka_jars}
    for engine in engines:
        needed |= {engine.python, engine.jars}
    with ThreadPoolExecutor(len(needed)) as pool:
        for installed in [pool.submit(make) for make in needed]:
            installed.result()
    # Gigabytes that are still on their way to the disk would slow down whoever runs first.
    os.sync()
