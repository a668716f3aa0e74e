"""Flips bytes in each kind of file of a real job's state on the engine: a job that goes on says what is damaged, or is right.

    python -m tests.faults.flip

A job's state is made twice, with changelogs and with snapshots of RocksDB. For each kind of file, and for a byte at the beginning, in the header,
in the middle, in what tells lengths and at the end, a copy of it is changed and started with rows to read.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pyspark.sql import SparkSession
from tests.script import BOUNDED, EARLIEST, create_table

import firesteel
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.record import read_records, write_records
from firesteel.spark.start.master import local_master
from firesteel.spark.start.session import open_session

#: Where a byte is changed, by a file's size.
PLACES: Mapping[str, Callable[[int], int]] = {
    "first byte": lambda size: 0,
    "header": lambda size: min(5, size - 1),
    "length": lambda size: min(20, size - 1),
    "middle": lambda size: size // 2,
    "later": lambda size: size * 9 // 10,
    "last byte": lambda size: size - 1,
}
_SNAPSHOTS = "SET 'spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled' = 'false';\n"
_KEYS = 300
#: A job that hangs is one that is not done after so many seconds.
_PATIENCE = 120.0


class KeptState:
    """The state of a job with an aggregate on the engine, and rows that it has not read yet."""

    def __init__(self, folder: Path, cluster: dict[str, str], spark: SparkSession, name: str, snapshots: bool) -> None:
        self.folder, self._cluster, self._spark, self._sink = folder, cluster, spark, f"{name}-out"
        for side in ("in", "out"):
            create_topic(cluster, f"{name}-{side}")
        keyed = "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'"
        text = (
            "SET 'parallelism.default' = '1';\nSET 'table.exec.state.ttl' = '1 d';\n"
            + (_SNAPSHOTS if snapshots else "")
            + create_table(cluster, "src", "k INT, v INT, t STRING", f"{name}-in", EARLIEST, BOUNDED)
            + create_table(
                cluster, "dest", "k INT, n BIGINT, hi INT, PRIMARY KEY (k) NOT ENFORCED", f"{name}-out", keyed
            )
            + "INSERT INTO dest SELECT k, COUNT(*), MAX(v) FROM src GROUP BY k;"
        )
        (folder / "job.sql").write_text(text, encoding="utf-8")
        for batch in range(3):
            self._write(f"{name}-in", batch)
            firesteel.run(folder / "job.sql", spark=spark)
        self._write(f"{name}-in", 3)
        self._seen = len(list(read_records(cluster, self._sink)))

    def _write(self, topic: str, batch: int) -> None:
        rows = [{"k": key, "v": key * 7 % 100 + batch, "t": f"{key:x}" * 8} for key in range(_KEYS)]
        write_records(self._cluster, topic, [(None, json.dumps(row).encode()) for row in rows])

    def files(self) -> Iterator[Path]:
        """Gives the newest file of each kind below the query's state, as it is found from the job's folder."""
        newest: dict[str, Path] = {}
        for path in sorted((self.folder / ".firesteel" / "job" / "1-dest" / "state").rglob("*")):
            if path.is_file() and path.stat().st_size:
                kind = f"{path.parent.name}{path.suffix}" if path.suffix else str(path.parent)
                if kind not in newest or _age(path) >= _age(newest[kind]):
                    newest[kind] = path
        for path in newest.values():
            yield path.relative_to(self.folder)

    def harm(self, folder: Path, file: Path, place: str) -> str:
        """Changes a byte in a copy and starts the job on it. Returns what it said, or nothing where it was right; raises where it was wrong."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        # Spark keeps the full path of a schema's file: a copy reads that of the state it was copied from.
        path = (self.folder if "_stateSchema" in file.parts else folder) / file
        before = path.read_bytes()
        data = bytearray(before)
        data[PLACES[place](len(data))] ^= 0xFF
        path.write_bytes(bytes(data))
        job = firesteel.start(folder / "job.sql", spark=self._spark)
        said = ""
        try:
            assert job.wait(_PATIENCE), f"{file}, {place}: the job hangs"
        except firesteel.FiresteelError as error:
            said = error.message
            assert " damaged: " in said and str(error.hint).startswith("Bring a copy back"), f"{file}, {place}: {error}"
        finally:
            job.stop()
            path.write_bytes(before)
        records = list(read_records(self._cluster, self._sink))
        rows = [json.loads(record.value or b"{}") for record in records[self._seen :]]
        self._seen = len(records)
        wrong = [row for row in rows if (row["n"], row["hi"]) != (4, row["k"] * 7 % 100 + 3)]
        assert not wrong, f"{file}, {place}: wrong rows {wrong[:3]}, said {said!r}"
        assert said or len(rows) == _KEYS, f"{file}, {place}: {len(rows)} rows, nothing said"
        return said


def _age(path: Path) -> tuple[int, str]:
    number = path.stem.split("_")[0]
    return (int(number) if number.isdecimal() else -1), path.name


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="flip-") as scratch, start_broker() as broker:
        spark = open_session(local_master(2), {}, Path(scratch) / "spark.log")
        try:
            for snapshots in (False, True):
                name = "snapshots" if snapshots else "changelogs"
                folder = Path(scratch) / name
                folder.mkdir()
                state = KeptState(folder, {"bootstrap.servers": broker.bootstrap}, spark, name, snapshots)
                for number, file in enumerate(state.files()):
                    for place in PLACES:
                        began = time.monotonic()
                        try:
                            said = state.harm(Path(scratch) / f"{name}-{number}-{place[:3]}", file, place)
                        except AssertionError as error:
                            wrong, said = wrong + 1, f"WRONG: {error}"
                        kind = f"{file.parent.name}/{file.suffix or file.name}"
                        said = said.replace(scratch, "…")
                        print(f"{kind}, {place}: {said or 'right'} ({time.monotonic() - began:.1f} s)", flush=True)
        finally:
            spark.stop()
    print(f"{wrong} mistakes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
