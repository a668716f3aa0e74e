"""Reads made-up rows. They are one partition, whose offset is the number of rows that were made.

The offset has the form of every source's (`spark/source/source_reader.py`), and besides: `seed`, chosen at the first start, so that
a batch that runs again has the same rows; `since` and `clock`, between which the rows of the batch have come.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from firesteel.changelog.hidden import KIND, ORDER
from firesteel.connectors.datagen.generator import Generator
from firesteel.connectors.position import Partition, from_json, to_json
from firesteel.formats.arrow_type import arrow_type, record_batch
from firesteel.spark.connector.datagen.made_up import Place, cells, width
from firesteel.spark.source.event_time import EventClock, event_time_columns
from firesteel.spark.source.hidden import append_hidden
from firesteel.spark.source.source_reader import SourceReader
from firesteel.spark.source.source_spec import SourceSpec

#: What stands for a topic and its only partition.
ROWS: Partition = ("", 0)

#: The largest batch.
_MOST_ROWS = 1_000_000
#: How many rows one task makes at least, if there are more tasks.
_TASK_ROWS = 10_000
_BLOCK_ROWS = 20_000
_BLOCK_BYTES = 16 * 1024 * 1024
#: A batch makes up for so many seconds at most: what takes longer slows the source down instead of piling up.
_LONGEST = 10.0
#: So many seconds' rows are there at once.
_FIRST = 0.1


@dataclass(frozen=True)
class GeneratedSpec:
    """`generators` make the columns of `rows`, so many rows each second; `total` rows are there, None: they do not end."""

    rows: SourceSpec
    generators: tuple[Generator, ...]
    rate: int
    total: int | None


class Made(InputPartition):
    """Rows that one task makes: from `start` up to `end`, of a batch that begins with the row `first`."""

    def __init__(self, start: int, end: int, first: int, offset: dict[str, Any], mark: int | None) -> None:
        super().__init__((start, end))
        self.start, self.end, self.first, self.offset, self.mark = start, end, first, offset, mark


class GeneratedReader(SourceReader):
    """The driver's side counts rows that are due; `read_rows` makes them in the workers."""

    def __init__(self, spec: GeneratedSpec) -> None:
        super().__init__(spec.rows)
        self.spec = spec
        self._clock = EventClock(spec.rows.number, spec.rows.event_time)
        self._started = False
        #: When rows were last asked for, and what was due and not yet whole.
        self._asked: float | None = None
        self._due = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return GeneratedReader, (self.spec,)

    # -- offsets ---------------------------------------------------------------------------------------------------

    def first_offset(self) -> dict[str, Any]:
        clock = _now()
        return {
            "source": self.rows.number,
            "sequence": 0,
            "positions": to_json({ROWS: 0}),
            "begins": {},
            "ends": None if self.spec.total is None else to_json({ROWS: self.spec.total}),
            "topics": {},
            "seed": secrets.randbits(63),
            "since": clock,
            "clock": clock,
        }

    def next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        position, total = from_json(start["positions"])[ROWS], self.spec.total
        ends = None if total is None else {ROWS: total}
        since, rows = self._take(None if total is None else max(0, total - position))
        target = {ROWS: position + rows}
        first, self._started = not self._started, True
        moved = self._clock.advance(start, target, ends, {}, first=first)
        if moved is None:
            return start
        kept = {name: start[name] for name in ("source", "begins", "topics", "seed")}
        given = {"positions": to_json(target), "ends": None if ends is None else to_json(ends)}
        clock = {"since": since, "clock": max(_now(), since)}
        return {**kept, "sequence": start["sequence"] + 1, **given, **moved, **clock}

    def _take(self, left: int | None) -> tuple[int, int]:
        """Takes the rows that are due: since when, in epoch milliseconds, and how many."""
        now = time.monotonic()
        passed = 0.0 if self._asked is None else min(now - self._asked, _LONGEST)
        self._due += max(1.0, _FIRST * self.spec.rate) if self._asked is None else passed * self.spec.rate
        self._asked = now
        if left and self._due < 1:
            # To a bounded query, nothing new would mean that everything has been read.
            time.sleep((1 - self._due) / self.spec.rate)
            return self._take(left)
        rows = min(int(self._due), _MOST_ROWS, *([] if left is None else [left]))
        self._due = min(self._due - rows, float(self.spec.rate))
        return _now() - int(passed * 1000), rows

    # -- reading ---------------------------------------------------------------------------------------------------

    def row_partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        first, last = from_json(start["positions"])[ROWS], from_json(end["positions"])[ROWS]
        tasks = max(1, min(self.rows.tasks, (last - first) // _TASK_ROWS))
        bounds = [first + (last - first) * task // tasks for task in range(tasks + 1)]
        return [Made(begin, stop, first, end, start.get("mark")) for begin, stop in pairwise(bounds) if stop > begin]

    def read_rows(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Made)
        return self._make(partition)

    def _make(self, made: Made) -> Iterator[pa.RecordBatch]:
        widest = max(1, sum(map(width, self.spec.generators)))
        step = max(1, min(_BLOCK_ROWS, _BLOCK_BYTES // widest))
        for begin in range(made.start, made.end, step):
            yield self._block(made, begin, min(begin + step, made.end))

    def _block(self, made: Made, begin: int, end: int) -> pa.RecordBatch:
        numbers = np.arange(begin, end, dtype=np.uint64)
        since, clock = made.offset["since"], made.offset["clock"]
        whole = max(1, from_json(made.offset["positions"])[ROWS] - made.first)
        millis = since + ((numbers - np.uint64(made.first)).astype(np.int64) + 1) * (clock - since) // whole
        place = Place(made.offset["seed"], numbers, millis)
        schema = pa.schema([pa.field(field.name, arrow_type(field.type)) for field in self.rows.fields])
        columns = [
            cells(generator, place.below(field.name)).cast(arrow_type(field.type))
            for generator, field in zip(self.spec.generators, self.rows.fields, strict=True)
        ]
        rows = end - begin
        order = (made.offset["sequence"] << 32) + numbers.astype(np.int64) - made.first
        given = {KIND: pa.repeat(pa.scalar(0, pa.int8()), rows), ORDER: pa.array(order)}
        given |= event_time_columns(0, made.mark, rows)
        return append_hidden(record_batch(columns, schema, rows), self.rows.hidden, given)


def _now() -> int:
    return int(time.time() * 1000)
