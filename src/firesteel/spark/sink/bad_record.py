"""Writes the bad records that reading tasks have staged, at the end of the batch that read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

import pyarrow as pa
from pyspark.sql import SparkSession

from firesteel.connectors.staged_range import StagedRange, staged_ranges
from firesteel.errors import FiresteelError
from firesteel.spark.failure import carry
from firesteel.storage.folder import Folder

#: Where bad records wait, in the folder of a query's state.
STAGE = "dead"


class BadRecords(Protocol):
    """Where the bad records of one source go. It travels to the task that writes them, so it is pickled.

    `source` is the source's number among those of the query, `target` names where they go, for the job's report.
    """

    @property
    def source(self) -> int: ...

    @property
    def table(self) -> str: ...

    @property
    def target(self) -> str: ...

    def write(self, stage: Folder, ranges: tuple[StagedRange, ...]) -> int:
        """Writes what is staged for these ranges and gives its number. Called in a task when the batch's rows are written."""
        ...


def write_staged(
    session: SparkSession, targets: tuple[BadRecords, ...], stage: Folder, sequences: Mapping[int, int]
) -> dict[int, int]:
    """Writes the bad records of a batch in a task of their own, and gives their number by source."""
    ranges = staged_by_source(targets, stage, sequences)
    if not ranges:
        return {}

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            try:
                counts = {number: target.write(stage, ranges[number]) for number, target in waiting.items()}
            except FiresteelError as error:
                raise carry(error) from None
            yield pa.RecordBatch.from_arrays(
                [pa.array(counts.keys(), pa.int32()), pa.array(counts.values(), pa.int64())],
                names=["source", "written"],
            )

    waiting = {target.source: target for target in targets if target.source in ranges}
    rows = session.range(0, 1, 1, 1).mapInArrow(task, "source int, written long").collect()
    return {row.source: row.written for row in rows}


def staged_by_source(
    targets: tuple[BadRecords, ...], stage: Folder, sequences: Mapping[int, int]
) -> dict[int, tuple[StagedRange, ...]]:
    """Lists what is staged for a batch, of those sources that have anything."""
    found = {one.source: staged_ranges(stage, {one.source: sequences.get(one.source, -1)}) for one in targets}
    return {number: ranges for number, ranges in found.items() if ranges}
