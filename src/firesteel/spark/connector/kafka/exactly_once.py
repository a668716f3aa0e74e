"""Writes each batch exactly once: one writer, one transaction for each batch, a marker inside.

Rows are computed and encoded by all tasks and gathered by one, which opens a new transaction, reads the marker and
writes or skips the batch. A skipped batch is still evaluated: its state has to be committed. Gathering is a shuffle, so
the transaction is open only while messages are pushed, and a writer that dies is started again without computing anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from itertools import chain

import pyarrow as pa
from pyspark.sql import DataFrame

from firesteel.connectors.kafka.offset import find_partitions
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.connectors.kafka.transaction.marker import Attempt, Decision, Marker, decide
from firesteel.connectors.kafka.transaction.transaction import (
    GroupOffsets,
    Transaction,
    TransactionSpec,
    settle,
    transaction_id,
)
from firesteel.connectors.kafka.write.bad_record import DeadLetters, write_letters
from firesteel.connectors.kafka.write.outgoing import Outgoing
from firesteel.connectors.kafka.write.writer import RefusedError, Writer
from firesteel.connectors.staged_range import remove_staged
from firesteel.errors import FiresteelError, JobError
from firesteel.spark.connector.kafka.ledger import Entry, Ledger
from firesteel.spark.connector.kafka.row_encoder import RowEncoder
from firesteel.spark.connector.kafka.write_spec import WriteSpec
from firesteel.spark.failure import carry
from firesteel.spark.fault import Fault, planned_fault, reach
from firesteel.spark.sink.at_least_once import raise_failures
from firesteel.spark.sink.bad_record import STAGE, staged_by_source, write_staged
from firesteel.spark.sink.batch import BatchEnd, Written
from firesteel.spark.sink.layout import in_order, is_ordered
from firesteel.spark.sink.offset_log import last_planned, planned_age, planned_batch, query_id
from firesteel.storage.folder import Folder

#: A batch of more rows than this has a middle; another one has it at its end.
_MIDDLE = 1_000

#: Messages go from the tasks that encode them to the one that writes them in blocks: of so many, or about so many bytes.
_BLOCK = 20_000
_BLOCK_BYTES = 4 * 1024 * 1024
_BLOCK_ROW = "block binary"
#: What the writing task tells the driver: rows, dead letters by source as JSON, and what became of the batch.
_RESULT_ROW = "written long, letters string, outcome string, failure string"


@dataclass(frozen=True)
class ExactlyOnceSpec:
    """`prefix` and `number` make the transactional id, together with the query's own id. `reader` reads the marker.

    `groups` are the clients of sources whose group's offsets are committed with the rows, by the source's number;
    `retention` is how long Kafka keeps the marker, in seconds.
    """

    prefix: str
    number: int
    reader: Mapping[str, str]
    timeout_ms: int
    groups: Mapping[int, Mapping[str, str]]
    retention: float


class ExactlyOnce:
    """A `BatchWriter` (`spark/sink/batch.py`). Bad records are written in the transaction where they are on the sink's cluster."""

    def __init__(self, spec: WriteSpec, once: ExactlyOnceSpec, end: BatchEnd) -> None:
        self._spec = spec
        self._once = once
        self._end = end
        self._inside = tuple(
            one
            for one in end.bad_records
            if isinstance(one, DeadLetters) and same_cluster(one.config, spec.target.config)
        )
        self._outside = tuple(one for one in end.bad_records if one not in self._inside)
        self._checkpoint = end.checkpoint
        self._stage = end.checkpoint.child(STAGE)
        self._ledger = Ledger(end.checkpoint)
        #: What an earlier run of the job has planned: batches up to there may be written already.
        self._planned_before = last_planned(end.checkpoint)
        self._placed = False

    def place(self, rows: DataFrame) -> DataFrame:
        self._placed = not is_ordered(rows)
        return self._gather(rows) if self._placed else rows

    def _gather(self, rows: DataFrame) -> DataFrame:
        return rows.mapInArrow(_make_encode_task(self._spec), _BLOCK_ROW).repartition(1)

    def __call__(self, batch: DataFrame, batch_id: int) -> None:
        with self._end.gate.passing(batch_id):
            fault = planned_fault()
            reach(fault, "m1", batch_id)
            planned = planned_batch(self._checkpoint, batch_id)
            noted = self._noted()
            write = _BatchWrite(
                self._transaction(noted.topic),
                self._attempt(batch_id, planned.fingerprint, noted),
                self._inside,
                self._stage,
                planned.sequences,
                tuple(GroupOffsets(config, planned.positions[n]) for n, config in self._once.groups.items()),
                fault,
            )
            messages = batch if self._placed else self._gather(in_order(batch, self._checkpoint, batch_id))
            [report] = messages.mapInArrow(_make_write_task(write), _RESULT_ROW).collect()
            raise_failures(text for text in (report.failure,) if text is not None)
            letters = {int(source): count for source, count in json.loads(report.letters).items()}
            letters |= write_staged(batch.sparkSession, self._outside, self._stage, planned.sequences)
            reach(fault, "m7", batch_id)
            outcome = Outcome(report.outcome)
            if outcome is not Outcome.NOTHING:
                self._ledger.note(Entry(noted.topic, batch_id))
            remove_staged(self._stage, planned.sequences)
            committed = frozenset(self._once.groups) if outcome is not Outcome.NOTHING else frozenset()
            self._end.on_written(batch_id, Written(report.written, letters, outcome is Outcome.SKIPPED, committed))

    def begin_again(self) -> None:
        """Notes what the query had planned before it is started once more: it may be written already."""
        self._planned_before = last_planned(self._checkpoint)

    def settle(self) -> None:
        """Ends a transaction that a writer may have left open when it was torn away."""
        noted = self._ledger.read()
        if noted is not None:
            settle(self._transaction(noted.topic))

    def _noted(self) -> Entry:
        """Gives the topic of the marker. It is chosen once, and noted before there can be a marker."""
        noted = self._ledger.read()
        if noted is None:
            noted = Entry(self._marker_topic(), None)
            self._ledger.note(noted)
        return noted

    def _marker_topic(self) -> str:
        if self._spec.target.topics.topics:
            return self._spec.target.topics.topics[0]
        found = find_partitions(consumer_for(self._once.reader), self._spec.target.topics)
        if not found:
            raise JobError(
                f"No topic matches '{self._spec.target.topics}' of '{self._spec.columns.table}'.",
                hint="'exactly-once' needs one before the first row is written.",
            )
        return found[0][0]

    def _transaction(self, topic: str) -> TransactionSpec:
        name = transaction_id(self._once.prefix, query_id(self._checkpoint), self._once.number)
        return TransactionSpec(name, self._spec.target.config, self._once.reader, topic, self._once.timeout_ms)

    def _attempt(self, batch_id: int, fingerprint: str, noted: Entry) -> Attempt:
        return Attempt(
            query_id(self._checkpoint),
            batch_id,
            fingerprint,
            known=noted.batch,
            known_age=noted.age,
            again=batch_id <= self._planned_before,
            age=planned_age(self._checkpoint, batch_id),
            retention=self._once.retention,
        )


def same_cluster(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Compares two configurations: a transaction covers one cluster, recognised by `bootstrap.servers`."""
    return one.get("bootstrap.servers") == other.get("bootstrap.servers")


def _make_encode_task(spec: WriteSpec) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            for block in RowEncoder(spec).encode_all(batches):
                for portion in block.portions(_BLOCK, _BLOCK_BYTES):
                    packed = pa.array([portion.pack()], pa.binary())
                    yield pa.RecordBatch.from_arrays([packed], names=["block"])
        except FiresteelError as error:
            raise carry(error) from None

    return task


def _unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[Outgoing]:
    return (Outgoing.unpack(block.as_buffer()) for batch in batches for block in batch.column(0))


class Outcome(Enum):
    """What became of a batch. NOTHING: it had no rows, so there was no transaction."""

    WRITTEN = "written"
    SKIPPED = "skipped"
    NOTHING = "nothing"


@dataclass(frozen=True)
class _BatchWrite:
    """All the writing task needs."""

    transaction: TransactionSpec
    attempt: Attempt
    letters: tuple[DeadLetters, ...]
    stage: Folder
    sequences: Mapping[int, int]
    groups: tuple[GroupOffsets, ...]
    fault: Fault | None


def _make_write_task(write: _BatchWrite) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        written, letters, outcome, failure = 0, dict[int, int](), Outcome.NOTHING, None
        try:
            written, letters, outcome = _write(write, _unpacked(batches))
        except RefusedError as error:
            if not error.is_final:
                raise carry(error) from None
            # Raised here, Spark would try the task again, and again.
            failure = str(carry(error))
        except FiresteelError as error:
            raise carry(error) from None
        report = [pa.array([written], pa.int64()), pa.array([json.dumps(letters)]), pa.array([outcome.value])]
        report.append(pa.array([failure], pa.string()))
        yield pa.RecordBatch.from_arrays(report, names=["written", "letters", "outcome", "failure"])

    return task


def _write(write: _BatchWrite, blocks: Iterator[Outgoing]) -> tuple[int, dict[int, int], Outcome]:
    first = next(blocks, None)
    # Rows have come through a shuffle, or there are none: whatever is staged is staged by now.
    ranges = staged_by_source(write.letters, write.stage, write.sequences)
    if first is None and not ranges:
        return 0, {}, Outcome.NOTHING
    batch, fault = write.attempt.batch, write.fault
    transaction = Transaction(write.transaction)
    try:
        reach(fault, "m2", batch)
        if decide(write.attempt, transaction.marker(), write.transaction.topic) is Decision.SKIP:
            for _ in blocks:
                pass
            return 0, {}, Outcome.SKIPPED
        transaction.begin()
        written = _push(transaction.writer, chain((first,) if first is not None else (), blocks), fault, batch)
        letters = {
            one.source: write_letters(transaction.writer, one, write.stage, ranges[one.source])
            for one in write.letters
            if one.source in ranges
        }
        transaction.flush()
        reach(fault, "m4", batch)
        marker = Marker(write.attempt.query, batch, write.attempt.fingerprint, written, int(time.time() * 1000))
        reach(fault, "m5", batch)
        transaction.commit(marker, write.groups)
        reach(fault, "m6", batch)
    except BaseException:
        transaction.abandon()
        raise
    return written, letters, Outcome.WRITTEN


def _push(writer: Writer, blocks: Iterable[Outgoing], fault: Fault | None, batch: int) -> int:
    written = 0
    for block in blocks:
        for portion in block.portions(_MIDDLE, _BLOCK_BYTES) if fault is not None else (block,):
            writer.write_all(portion)
            written += len(portion)
            if written >= _MIDDLE:
                reach(fault, "m3", batch)
    reach(fault, "m3", batch)
    return written
