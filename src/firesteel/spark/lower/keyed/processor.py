"""An operator of the state engine in a task of Spark's: its state is kept in Spark's state store, its rows come as blobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import SparkFiles
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from firesteel.errors import FiresteelError
from firesteel.spark.blob import Packer
from firesteel.spark.damage import is_checksum_mismatch, wrong_state
from firesteel.spark.failure import carry
from firesteel.spark.fault import fault_file, reach
from firesteel.spark.lower.keyed.report import TITLE, render_report, title_of
from firesteel.spark.task import batch_number, query_name
from firesteel.state.block import Packing, read_block, write_block
from firesteel.state.cache import Cache
from firesteel.state.damage import DamagedState, ForeignFormat
from firesteel.state.operator.operator import Operator
from firesteel.state.operator.part import apply_in_parts
from firesteel.state.state import Now, State
from firesteel.state.store import shape_within

#: Tells the watermark of a batch, by the batch's number, the same in every attempt; None before the first one.
WatermarkOf = Callable[[int], int | None]

_BYTES = StructType([StructField("value", BinaryType())])
_NAME = StructType([StructField("name", StringType())])

#: What is opened of a bucket's segments stays so from batch to batch: a worker is used again. Segments never change.
_CACHES: dict[Path, Cache] = {}

#: Rows take so many times their bytes while an operator works on them.
_PART = 16
#: Pages of mapped files are the kernel's, which drops them when it needs to: of them more is kept.
_MAPPED = 4


class SparkStore:
    """A bucket's blobs in Spark's state store: the manifest is one value, the pieces are a map."""

    def __init__(self, handle: Any, on_put: Callable[[], None]) -> None:
        self._on_put = on_put
        self._manifest = handle.getValueState("manifest", _BYTES)
        self._pieces = handle.getMapState("pieces", _NAME, _BYTES)

    def load(self) -> bytes | None:
        value = _read(self._manifest.get)
        return bytes(value[0]) if value else None

    def save(self, manifest: bytes) -> None:
        self._manifest.update((manifest,))

    def get(self, name: str) -> bytes | None:
        value = _read(lambda: self._pieces.getValue((name,)))
        return bytes(value[0]) if value else None

    def put(self, name: str, blob: bytes) -> None:
        self._pieces.updateValue((name,), (bytes(blob),))
        self._on_put()

    def remove(self, name: str) -> None:
        self._pieces.removeKey((name,))


def _read(ask: Callable[[], Any]) -> Any:
    """Asks Spark's store, whose own checksums may be the first to notice that a file was changed."""
    try:
        return ask()
    except PySparkException as error:
        if not is_checksum_mismatch(str(error)):
            raise
        raise DamagedState("The state is damaged: Spark's store finds that it is not what was written.") from None


class Processor(StatefulProcessor):
    """Runs one operator. `name` tells its cache from those of other operators of the job, `memory` is how many bytes its work may take.

    `then` packs what it gives for the next one. `watermark` tells the watermark of a batch, where the operator waits for event time.
    """

    def __init__(
        self,
        operator: Operator,
        name: str,
        memory: int,
        then: tuple[Packing, ...] = (),
        watermark: WatermarkOf | None = None,
    ) -> None:
        self._operator, self._name, self._memory, self._then = operator, name, memory, then
        self._watermark = watermark
        self._faults, self._worked = fault_file(), False

    def init(self, handle: Any) -> None:
        self._store = SparkStore(handle, lambda: self._reach("s2"))

    def _reach(self, moment: str) -> None:
        """Does what a test wants to happen at this moment."""
        if self._faults is not None:
            reach(self._faults.read(), moment, batch_number())

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        try:
            yield from self._work(key[0], rows)
        except (DamagedState, ForeignFormat) as error:
            raise carry(wrong_state(error, title_of(self._operator), query_name())) from None
        except FiresteelError as error:
            raise carry(error) from None

    def _work(self, bucket: int, rows: Iterator[Row]) -> Iterator[Row]:
        self._worked = True
        self._reach("s1")
        # Every attempt of a batch sees the rows in this order, whatever order the shuffle brings them in.
        packed = sorted(rows, key=lambda row: (row.part, row.number))
        inputs: dict[str, list[pa.RecordBatch]] = {}
        for row in packed:
            # A tick has no block.
            if row.blob is not None:
                inputs.setdefault(row.input, []).append(read_block(row.blob))
        batch = batch_number()
        now = Now(batch, packed[0].clock, None if self._watermark is None else self._watermark(batch))
        cache = _cache(self._name, bucket, self._memory)
        state = State(self._store, cache, now, shape_within(self._memory))
        # For whoever reads the state of a stopped job.
        state.own.setdefault(TITLE, title_of(self._operator))
        tables = {name: pa.Table.from_batches(batches) for name, batches in inputs.items()}
        packer, number = Packer(self._then, bucket) if self._then else None, 0
        for out in apply_in_parts(self._operator, tables, state, now, self._memory // _PART):
            for batch in out.to_batches():
                if packer is None:
                    yield _row(bucket, "", bucket, number, batch.num_rows, write_block(batch))
                    number += 1
                else:
                    yield from (_row(*blob) for blob in packer.pack(batch))
        state.commit()
        self._reach("s3")
        yield _row(bucket, report=render_report(state, _next_call(self._operator, state)))
        if packer is not None:
            yield from (_row(*tick) for tick in packer.ticks())

    def close(self) -> None:
        # Spark closes one in a process of the driver, too, that has no batch.
        if self._worked:
            self._reach("s4")


def _next_call(operator: Operator, state: State) -> int | None:
    """Tells when the operator has to be called by the clock, if nothing comes before."""
    return min((time for time in (operator.wake(state), state.wake()) if time is not None), default=None)


def _row(
    bucket: int,
    input: str = "",
    part: int = 0,
    number: int = 0,
    rows: int = 0,
    blob: bytes | None = None,
    report: str | None = None,
) -> Row:
    return Row(bucket=bucket, input=input, part=part, number=number, rows=rows, blob=blob, report=report)


def _cache(operator: str, bucket: int, memory: int) -> Cache:
    """Gives the cache of a bucket, in the executor's own folder: it ends with the application. Of all caches only so much stays mapped."""
    folder = Path(SparkFiles.getRootDirectory()) / "state" / operator / str(bucket)
    cache = _CACHES.pop(folder) if folder in _CACHES else Cache(folder, memory * _MAPPED)
    _CACHES[folder] = cache
    mapped = sum(one.mapped for one in _CACHES.values())
    for other in list(_CACHES.values())[:-1]:
        if mapped > memory * _MAPPED:
            mapped -= other.mapped
            other.unmap()
    return cache
