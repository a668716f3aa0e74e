"""The data source: Kafka partitions to Arrow batches, on librdkafka, in Spark's Python workers.

The offset that Spark keeps is ours: `{"source", "sequence", "positions", "begins", "ends", "topics"}`. `source` is the
number of the table among those the query reads; `sequence` grows by one with every batch and is the same when a batch is
run again; `begins` holds the start of partitions that appear for the first time in this offset; `ends` is where a bounded
source stops, decided once, at the first start; `topics` has Kafka's id of each topic, so that offsets are not taken for
those of a topic that was deleted and created again. Where somebody waits for event time there are also `times`, the
greatest one that each partition has shown, and the `mark` made of them (`mark.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from heapq import heapreplace
from itertools import chain
from typing import Any

import pyarrow as pa
from confluent_kafka import Consumer, KafkaException, Message
from pyspark.sql import types as spark
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit

from firesteel.changelog.hidden import MARK, REJECT, SLOT, WATERMARK, Hidden
from firesteel.connectors.kafka.admin import describe_topics, topic_ids
from firesteel.connectors.kafka.header_filter import HeaderFilter
from firesteel.connectors.kafka.offset import Subscription, earliest, find_ends, find_partitions, find_start, latest
from firesteel.connectors.kafka.read.reader import START_OVER, consumer_for, lost_offset, read_stretches, rewound
from firesteel.connectors.kafka.start import Bound, StartPosition, Unbounded
from firesteel.connectors.kafka.write.bad_record import Stage
from firesteel.connectors.kafka.write.writer import make_ready
from firesteel.connectors.position import Partition, Positions, from_json, to_json
from firesteel.connectors.staged_range import StagedRange
from firesteel.errors import BrokerAwayError, FiresteelError, JobError, OutsideError
from firesteel.formats.arrow_type import arrow_schema
from firesteel.formats.bound import BoundFormat
from firesteel.formats.codec import Reject
from firesteel.spark.failure import carry
from firesteel.spark.source.equal_rows import weigh
from firesteel.spark.source.event_time import END_OF_TIME, Times, emits_mark
from firesteel.spark.source.hidden import add_hidden, append_hidden
from firesteel.spark.source.reject import refused, render_reject
from firesteel.spark.source.tally import Tally
from firesteel.spark.type import spark_schema
from firesteel.storage.folder import Folder
from firesteel.storage.local import LocalFolder
from firesteel.types import Field

#: For specs that leave nothing beside the rows.
_NOWHERE = LocalFolder("")


@dataclass(frozen=True)
class ReadSpec:
    """All a worker needs to read a table. `config` may hold secrets, so it never becomes an option that Spark shows."""

    table: str
    config: Mapping[str, str]
    subscription: Subscription
    start: StartPosition
    bound: Bound
    group: str | None
    value: BoundFormat
    key: BoundFormat | None
    fields: tuple[Field, ...]
    metadata: Mapping[str, str]
    tolerant: bool
    #: Rows carry what they mean in a changelog; `upsert`: a null value deletes the row of its key.
    changes: bool
    upsert: bool
    #: Rows carry their place in the order of arrival.
    ordered: bool
    #: Equal rows of a task are one row that carries their number.
    weighed: bool
    #: These come in the order in which RocksDB keeps them.
    as_stored: bool
    max_rows: int
    #: As many in the first batch after a start.
    first_rows: int
    discovery_seconds: float
    #: Its number among the tables that the query reads.
    number: int = 0
    #: How many tasks read, if there are as many partitions.
    tasks: int = 1
    #: The folder where bad records wait to be written to a topic; None: they are only counted.
    stage: Folder | None = None
    #: The folder where a batch's reading tasks leave what they counted beside rows (`Tally`); none in tests.
    tally: Folder = _NOWHERE
    #: The sink's client settings and `lossy`, so that a reading worker can connect its producer early.
    writer: tuple[Mapping[str, str], bool] | None = None
    #: The partitions that are told apart where somebody waits for event time; none where nobody does.
    slots: tuple[Partition, ...] = ()
    #: The file with what the batches have seen (`Times`).
    times: Folder = _NOWHERE
    #: After how long a partition without records holds back nobody's event time; None: as long as the job says.
    idle_seconds: float | None = None
    #: Messages whose headers do not pass it are no rows.
    header_filter: HeaderFilter | None = None

    @property
    def hidden(self) -> Hidden:
        return Hidden(
            kind=self.changes,
            order=self.ordered,
            event_time=bool(self.slots),
            reject=self.tolerant,
            present=not (self.tolerant or self.fields or self.changes or self.ordered or self.slots),
            weight=self.weighed,
        )

    @property
    def schema(self) -> spark.StructType:
        return add_hidden(spark_schema(self.fields), self.hidden)


@dataclass(frozen=True)
class Range:
    """A stretch of one partition, in the source's batch of that sequence."""

    topic: str
    partition: int
    start: int
    end: int
    sequence: int
    #: The event time that every partition had reached before this batch.
    mark: int | None = None


class Ranges(InputPartition):
    """What one task reads, one stretch after the other."""

    def __init__(self, ranges: tuple[Range, ...]) -> None:
        super().__init__(ranges)
        self.ranges = ranges


class Mark(InputPartition):
    """A row that only moves event time, for a task of its own."""

    def __init__(self, time: int) -> None:
        super().__init__(time)
        self.time = time


class KafkaStreamReader(DataSourceStreamReader):
    """The driver's side plans offsets; `read` runs in the workers, which share nothing with it."""

    def __init__(self, spec: ReadSpec) -> None:
        self.spec = spec
        self._last_discovery = 0.0
        self._latest: Positions = {}
        self._checked = False
        #: When each partition last had something to read.
        self._moved: dict[Partition, float] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"spec": self.spec}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["spec"])  # type: ignore[misc]

    @property
    def _consumer(self) -> Consumer:
        return consumer_for(self.spec.config)

    # -- offsets ---------------------------------------------------------------------------------------------------

    def initialOffset(self) -> dict[str, Any]:
        with carried():
            partitions = find_partitions(self._consumer, self.spec.subscription)
            start = find_start(self._consumer, partitions, self.spec.start)
            ends = find_ends(self._consumer, partitions, self.spec.bound)
            return {
                "source": self.spec.number,
                "sequence": 0,
                "positions": to_json(start),
                "begins": {},
                "ends": None if ends is None else to_json(ends),
                "topics": self._topic_ids(start),
            }

    def getDefaultReadLimit(self) -> ReadLimit:
        # The limit is ours (`scan.max-rows-per-batch`), over all partitions together.
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        with carried():
            try:
                return self._next_offset(start)
            except BrokerAwayError:
                # Partitions that were found just now are looked for again.
                self._last_discovery = 0.0
                if not isinstance(self.spec.bound, Unbounded):
                    # To a bounded query, nothing new would mean that everything has been read.
                    raise
                return start

    def _next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        positions = from_json(start["positions"])
        topics = self._check_topics(start.get("topics", {}), positions)
        first = not self._checked
        ends = None if start["ends"] is None else from_json(start["ends"])
        # A bounded job that had reached its end and is started again: it goes on, up to where its bound is now.
        over = first and ends is not None and all(positions[one] >= ends.get(one, 0) for one in positions)
        begins = self._discover(positions) if over or isinstance(self.spec.bound, Unbounded) else {}
        known = positions | begins
        self._latest = latest(self._consumer, known)
        self._check_lost(known)
        reachable = dict(self._latest)
        if over:
            ends = find_ends(self._consumer, known, self.spec.bound)
            if start.get("mark") == END_OF_TIME:
                self._check_over(known, ends)
        if ends is not None:
            reachable = {one: min(offset, ends.get(one, 0)) for one, offset in reachable.items()}
        target = _share(known, reachable, self.spec.first_rows if first else self.spec.max_rows)
        moved = {
            "positions": to_json(target),
            "begins": to_json(begins),
            "ends": None if ends is None else to_json(ends),
            "topics": topics if begins.keys() <= positions.keys() else self._topic_ids(known),
        }
        if self.spec.slots:
            moved |= self._event_time(start, target, ends)
            # The last mark is given again after a start: the job may have died before it closed the windows.
            again = first and moved["mark"] is not None
            if target == positions and moved["mark"] == start.get("mark") and not again:
                return start
        elif target == positions:
            return start
        return {"source": self.spec.number, "sequence": start["sequence"] + 1, **moved}

    def _event_time(self, start: dict[str, Any], target: Positions, ends: Positions | None) -> dict[str, Any]:
        """The `times` of the partitions, and the `mark` that they have all reached: the least of them.

        A partition that has been read to its bound waits for nobody, and none waits for one that is idle.
        """
        times = from_json(start.get("times") or {})
        seen = Times(self.spec.times, self.spec.number, self.spec.slots).read()
        for one in target:
            speaker = self.spec.slots[slot_of(self.spec.slots, one)]
            if speaker in seen:
                times[one] = max(seen[speaker], times.get(one, seen[speaker]))
        mark = start.get("mark")
        waiting = [one for one in target if ends is None or target[one] < ends.get(one, 0)]
        if ends is not None and not waiting:
            mark = END_OF_TIME
        else:
            before = from_json(start["positions"])
            awake = [one for one in waiting if not self._is_idle(one, before.get(one), target[one])]
            known = [one for one in (mark, _reached(times, awake)) if one is not None]
            mark = max(known, default=None)
        return {"times": to_json(times), "mark": mark}

    def _is_idle(self, partition: Partition, before: int | None, position: int) -> bool:
        now = time.monotonic()
        has_rows = before != position or self._latest.get(partition, position) > position
        if has_rows or partition not in self._moved:
            self._moved[partition] = now
        return 0 < (self.spec.idle_seconds or 0.0) <= now - self._moved[partition]

    def _check_over(self, positions: Positions, ends: Positions | None) -> None:
        """Time does not go back: when the last window has been closed, there is nothing to go on with."""
        if ends is None or any(ends.get(one, 0) > position for one, position in positions.items()):
            raise JobError(
                f"The job had read '{self.spec.table}' to its end and closed all windows: the rows that came since would"
                " all be late.",
                hint="Start over with --fresh.",
            )

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return {"positions": to_json(self._latest)} if self._latest else None

    def _discover(self, known: Positions) -> Positions:
        """New partitions, which are read from their beginning: nothing may be lost between their birth and our look."""
        now = time.monotonic()
        interval = self.spec.discovery_seconds
        if self._last_discovery and (interval <= 0 or now - self._last_discovery < interval):
            return {}
        self._last_discovery = now
        found = [one for one in find_partitions(self._consumer, self.spec.subscription) if one not in known]
        return earliest(self._consumer, found) if found else {}

    def _topic_ids(self, positions: Positions) -> dict[str, str]:
        return topic_ids(self.spec.config, {topic for topic, _ in positions})

    def _check_topics(self, known: dict[str, str], positions: Positions) -> dict[str, str]:
        """A topic that was created again may have as many records as the old one had: only its id tells them apart."""
        if self._checked:
            return known
        now = self._topic_ids(positions)
        for topic, before in known.items():
            if now.get(topic, before) != before:
                raise JobError(
                    f"The topic '{topic}' was deleted and created again since the job read it.", hint=START_OVER
                )
        return now

    def _high(self, partition: Partition) -> int:
        """The end of a partition, transactions that are still open included."""
        try:
            [topic] = describe_topics(self.spec.config, [partition[0]])
        except OutsideError as error:
            # Its leader may be away, as far as this question can tell.
            raise BrokerAwayError(error.message, hint=error.hint) from None
        return next(one.high for one in topic.partitions if one.index == partition[1])

    def _check_lost(self, positions: Positions) -> None:
        """Fail if unread records were deleted. Later deletions are found by `read_range`."""
        for one, position in positions.items():
            if self._latest[one] < position:
                end = self._high(one)
                # Between what is committed and what is there, when 'isolation.level' was another one before.
                if end < position:
                    raise rewound(*one, position, end)
        if self._checked:
            return
        self._checked = True
        for one, low in earliest(self._consumer, positions).items():
            if positions[one] < low:
                raise lost_offset(*one, positions[one], low)

    # -- reading ---------------------------------------------------------------------------------------------------

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        begins = from_json(start["positions"]) | from_json(end["begins"])
        ranges = [
            Range(topic, number, begins[topic, number], offset, end["sequence"], start.get("mark"))
            for (topic, number), offset in from_json(end["positions"]).items()
            if offset > begins[topic, number]
        ]
        found: list[InputPartition] = [Ranges(part) for part in _deal(ranges, self.spec.tasks)]
        return [*found, Mark(end["mark"])] if emits_mark(start, end) else found

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        if isinstance(partition, Mark):
            yield self.watermark_row(partition.time)
            return
        assert isinstance(partition, Ranges)
        if self.spec.writer is not None:
            config, lossy = self.spec.writer
            # A bad producer configuration is reported when the sink first writes.
            with suppress(KafkaException):
                make_ready(config, lossy=lossy)
        batches = chain.from_iterable(map(self._read, partition.ranges, self._blocks(partition.ranges)))
        yield from weigh(batches, as_stored=self.spec.as_stored) if self.spec.weighed else batches

    def _blocks(self, ranges: tuple[Range, ...]) -> Iterator[Iterable[list[Message]]]:
        with carried():
            yield from read_stretches(self.spec.config, ranges)

    def _read(self, partition: Range, blocks: Iterable[list[Message]]) -> Iterator[pa.RecordBatch]:
        slot = slot_of(self.spec.slots, (partition.topic, partition.partition)) if self.spec.slots else None
        # Not above: the process that plans offsets decodes nothing, and starts the sooner.
        from firesteel.spark.connector.kafka.record_decoder import RecordDecoder, header_list

        with carried():
            decoder = RecordDecoder(
                self.spec.value,
                self.spec.key,
                self.spec.fields,
                self.spec.metadata,
                self.spec.changes,
                self.spec.upsert,
                _first_place(partition) if self.spec.ordered else None,
            )
            stage, hidden = self._stage(partition), self.spec.hidden
            tally = Tally()
            for messages in blocks:
                if self.spec.header_filter is not None:
                    messages = [one for one in messages if self.spec.header_filter.passes(header_list(one))]
                batch, found, empty = decoder.decode(messages)
                rejects = refused(found)
                if rejects and not self.spec.tolerant:
                    raise _bad_record(self.spec.table, rejects[0], messages)
                if found or empty:
                    tally.add(found, empty)
                if rejects and stage is not None:
                    stage.add(messages, rejects)
                yield append_hidden(batch, hidden, event_time_columns(slot, partition.mark, batch.num_rows))
                if rejects and self.spec.tolerant:
                    yield self._refused(batch.schema, rejects, messages)
            if stage is not None:
                stage.close()
            if self.spec.tally:
                tally.write(self.spec.tally, self._staged(partition))

    def watermark_row(self, time: int) -> pa.RecordBatch:
        columns = [pa.nulls(1, field.type) for field in arrow_schema(self.spec.fields)]
        row = pa.RecordBatch.from_arrays(columns, names=[field.name for field in self.spec.fields])
        return append_hidden(row, self.spec.hidden, {MARK: pa.array([time], pa.int64())})

    def _stage(self, partition: Range) -> Stage | None:
        return None if self.spec.stage is None else Stage(self.spec.stage, self._staged(partition))

    def _staged(self, partition: Range) -> StagedRange:
        place = partition.topic, partition.partition, partition.start, partition.end
        return StagedRange(self.spec.number, partition.sequence, *place)

    def _refused(self, schema: pa.Schema, rejects: list[Reject], messages: list[Message]) -> pa.RecordBatch:
        """A row for each refused record, with nothing in it but why and where."""
        empty = pa.RecordBatch.from_arrays([pa.nulls(len(rejects), field.type) for field in schema], schema=schema)
        reported = [render_reject(reject, messages[reject.index]) for reject in rejects]
        return append_hidden(empty, self.spec.hidden, {REJECT: pa.array(reported, pa.string())})

    def commit(self, end: dict[str, Any]) -> None:
        """Nothing to do: the job tells the group where it stands as soon as a batch is done (`spark/job/query.py`).

        Spark calls this only when the next batch begins, so a job that has caught up would show a lag for ever.
        """


def _first_place(partition: Range) -> int:
    """What a record's offset is added to for its place: later batches come after earlier ones, in whichever partition."""
    return (partition.sequence << 32) - partition.start


class carried:
    """Lets an error of ours out in a form that survives the way to the driver."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FiresteelError):
            raise carry(error) from None


def _reached(times: Positions, awake: list[Partition]) -> int | None:
    """The event time that every partition has reached; where all are idle, the furthest is the last that was awake."""
    if not awake:
        return max(times.values(), default=None)
    return min(times[one] for one in awake) if all(one in times for one in awake) else None


def slot_of(slots: tuple[Partition, ...], partition: Partition) -> int:
    """A partition that came later shares a slot: of two, the one that is ahead then speaks for both."""
    return slots.index(partition) if partition in slots else partition[1] % len(slots)


def event_time_columns(slot: int | None, mark: int | None, rows: int) -> dict[str, pa.Array]:
    """Which channel rows belong to, and the watermark that held when they were read."""
    if slot is None:
        return {}
    return {
        SLOT: pa.repeat(pa.scalar(slot, pa.int32()), rows),
        WATERMARK: pa.repeat(pa.scalar(mark, pa.int64()), rows),
    }


def _share(positions: Positions, reachable: Positions, most: int) -> Positions:
    """Where each partition ends in the next batch: what there is, or a fair share of the limit.

    >>> _share({("t", 0): 0, ("t", 1): 10}, {("t", 0): 300, ("t", 1): 110}, 40)
    {('t', 0): 30, ('t', 1): 20}
    """
    waiting = {one: max(0, reachable[one] - position) for one, position in positions.items()}
    total = sum(waiting.values())
    if total <= most:
        return {one: position + waiting[one] for one, position in positions.items()}
    return {
        one: position + min(waiting[one], max(1, waiting[one] * most // total)) if waiting[one] else position
        for one, position in positions.items()
    }


def _deal(ranges: list[Range], tasks: int) -> list[tuple[Range, ...]]:
    """Each task's ranges: one each, or as evenly long as whole ranges allow when there are to be fewer tasks.

    >>> long, short, other = Range("t", 0, 0, 90, 1), Range("t", 1, 0, 40, 1), Range("t", 2, 0, 30, 1)
    >>> _deal([short, long, other], 2) == [(long,), (short, other)]
    True
    >>> len(_deal([long, short], 8)), _deal([], 3)
    (2, [])
    """
    if tasks >= len(ranges):
        return [(one,) for one in ranges]
    dealt: list[list[Range]] = [[] for _ in range(tasks)]
    # How much each task has, the least first.
    loads = [(0, task) for task in range(tasks)]
    for one in sorted(ranges, key=lambda one: one.start - one.end):
        load, task = loads[0]
        dealt[task].append(one)
        heapreplace(loads, (load + one.end - one.start, task))
    return [tuple(part) for part in dealt]


def _bad_record(table: str, reject: Reject, messages: list[Any]) -> JobError:
    message = messages[reject.index]
    return JobError(
        f"A record of '{table}' cannot be read: topic '{message.topic()}', partition {message.partition()},"
        f" offset {message.offset()}: {reject.detail.rstrip('.')}.",
        hint="Mend the record or the table, or go on without such records: 'error-handling.mode' = 'ignore' counts them.",
    )
