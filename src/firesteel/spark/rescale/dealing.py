"""Deals the state of the state engine's operators to other buckets: two tasks on raw rows of Spark's state store.

The first takes buckets apart, each in the task that has it; what belongs to a new bucket goes to its task, which puts it together. Neither holds
more in memory than a batch of a running job does: pieces and blocks wait in files.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import DataFrame
from pyspark.sql import types as spark

from firesteel.errors import FiresteelError
from firesteel.spark.blob import labels
from firesteel.spark.failure import carry
from firesteel.spark.rescale import raw_row
from firesteel.state import block
from firesteel.state.cache import Cache
from firesteel.state.rescale import dealt_rows, merge_own
from firesteel.state.segment import read_rows
from firesteel.state.state import Now, State

_Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

#: A new bucket keeps what it has after so many rows.
_ROWS = 1 << 18

_BUCKET = pa.struct([("bucket", pa.int32())])
#: What goes to a new bucket: `own` is what the operator keeps beside its tables, else `block` has rows of one of them.
_DEALT = pa.schema(
    [
        ("partition_key", _BUCKET),
        ("source", pa.int32()),
        ("number", pa.int64()),
        ("name", pa.string()),
        ("ttl", pa.int64()),
        ("own", pa.string()),
        ("block", pa.binary()),
    ]
)
_DEALT_SPARK = spark.StructType(
    [
        spark.StructField("partition_key", spark.StructType([spark.StructField("bucket", spark.IntegerType())])),
        spark.StructField("source", spark.IntegerType()),
        spark.StructField("number", spark.LongType()),
        spark.StructField("name", spark.StringType()),
        spark.StructField("ttl", spark.LongType()),
        spark.StructField("own", spark.StringType()),
        spark.StructField("block", spark.BinaryType()),
    ]
)
_RAW = pa.schema(
    [
        ("partition_key", _BUCKET),
        ("key_bytes", pa.binary()),
        ("value_bytes", pa.binary()),
        ("column_family_name", pa.string()),
    ]
)


@dataclass(frozen=True)
class Deal:
    """`clock`: the time by which rows have expired, in milliseconds since 1970."""

    tasks: int
    buckets: int
    clock: int


def deal_state(rows: DataFrame, deal: Deal) -> DataFrame:
    """Gives the raw rows of an operator's state, dealt to other buckets and these to tasks."""
    dealt = rows.mapInArrow(_carried(partial(_take_apart, deal)), _DEALT_SPARK)
    return dealt.repartition(deal.tasks, "partition_key").mapInArrow(
        _carried(partial(_put_together, deal)), rows.schema
    )


def _carried(task: _Task) -> _Task:
    def carried(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            yield from task(batches)
        except FiresteelError as error:
            raise carry(error) from None

    return carried


class _Files:
    """The blobs of a bucket in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.manifest = folder, b""

    def load(self) -> bytes | None:
        return self.manifest or None

    def save(self, manifest: bytes) -> None:
        self.manifest = manifest

    def get(self, name: str) -> bytes | None:
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def put(self, name: str, blob: bytes) -> None:
        (self.folder / name).write_bytes(blob)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink()


@contextmanager
def _folder() -> Iterator[Path]:
    """Makes a folder on this machine that ends with the block, and at the latest with the application."""
    found = Path(tempfile.mkdtemp(prefix="rescale-", dir=SparkFiles.getRootDirectory()))
    try:
        yield found
    finally:
        shutil.rmtree(found, ignore_errors=True)


def _take_apart(deal: Deal, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with _folder() as folder:
        stores: dict[int, _Files] = {}
        for batch in batches:
            for row in batch.to_pylist():
                bucket = raw_row.bucket_of(row["key_bytes"])
                if bucket not in stores:
                    stores[bucket] = _Files(folder / f"{bucket}")
                blob = raw_row.content(row["value_bytes"])
                if row["column_family_name"] == raw_row.MANIFEST:
                    stores[bucket].save(blob)
                elif row["column_family_name"] == raw_row.PIECES:
                    stores[bucket].put(raw_row.piece_name(row["key_bytes"]), blob)
        for bucket, store in sorted(stores.items()):
            with tempfile.TemporaryDirectory(dir=folder) as cache:
                state = State(store, Cache(Path(cache)), Now(0, deal.clock))
                yield from _dealt(deal, bucket, state)


def _dealt(deal: Deal, source: int, state: State) -> Iterator[pa.RecordBatch]:
    chosen = labels(deal.buckets)
    own = json.dumps(state.own)
    empty = {"source": source, "number": -1, "name": None, "ttl": None, "own": None, "block": None}
    yield _batch(
        [{**empty, "partition_key": {"bucket": label}, "own": own} for label in chosen],
        _DEALT,
    )
    new_buckets = partial(block.bucket_of, count=deal.buckets)
    for number, dealt in enumerate(dealt_rows(state, deal.buckets, new_buckets)):
        row = {"partition_key": {"bucket": chosen[dealt.bucket]}, "source": source, "number": number}
        row |= {"name": dealt.table, "ttl": dealt.ttl, "own": None, "block": block.write_block(dealt.rows)}
        yield _batch([row], _DEALT)


def _put_together(deal: Deal, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    with _folder() as folder:
        waiting: dict[int, list[_Waiting]] = {}
        for batch in batches:
            for row in batch.to_pylist():
                file = folder / f"{row['partition_key']['bucket']}-{row['source']}-{row['number']}"
                if row["block"] is not None:
                    file.write_bytes(row["block"])
                found = _Waiting(row["source"], row["number"], row["name"], row["ttl"], row["own"], file)
                waiting.setdefault(row["partition_key"]["bucket"], []).append(found)
        for bucket, parts in sorted(waiting.items()):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                yield from _raw_rows(bucket, _bucket(Path(own), parts, deal.clock))


@dataclass(frozen=True)
class _Waiting:
    source: int
    number: int
    name: str | None
    ttl: int | None
    own: str | None
    file: Path


def _bucket(folder: Path, parts: list[_Waiting], clock: int) -> _Files:
    """Puts a new bucket together. Every attempt takes its parts in the same order, and gives the same bytes."""
    store, cache = _Files(folder / "store"), Cache(folder / "cache")
    state, rows = State(store, cache, Now(0, clock)), 0
    for part in sorted(parts, key=lambda part: (part.number, part.source)):
        if part.own is not None:
            merge_own(state.own, json.loads(part.own))
        if part.name is None:
            continue
        restored = read_rows(pa.py_buffer(part.file.read_bytes()))
        part.file.unlink()
        state.table(part.name, part.ttl).restore(restored)
        rows += restored.num_rows
        if rows >= _ROWS:
            state.commit()
            state, rows = State(store, cache, Now(0, clock)), 0
    state.commit()
    return store


def _raw_rows(bucket: int, store: _Files) -> Iterator[pa.RecordBatch]:
    key = {"bucket": bucket}
    rows: list[tuple[str, bytes, bytes]] = [(raw_row.MANIFEST, raw_row.manifest_key(bucket), store.manifest)]
    yield from (_raw(key, *row) for row in rows)
    for path in sorted(store.folder.iterdir()):
        yield _raw(key, raw_row.PIECES, raw_row.piece_key(bucket, path.name), path.read_bytes())


def _raw(partition: dict[str, int], family: str, key: bytes, blob: bytes) -> pa.RecordBatch:
    row: dict[str, Any] = {"partition_key": partition, "key_bytes": key, "value_bytes": raw_row.value(blob)}
    return _batch([{**row, "column_family_name": family}], _RAW)


def _batch(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=schema)
