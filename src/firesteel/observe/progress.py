"""Applies the progress of a batch to the snapshot of its job: `apply(snapshot, progress)`.

>>> before = JobSnapshot("job", started=100.0)
>>> after = apply(before, Progress("q", 0, 500, 101.0, {"views": SourceProgress(rows=1000, lag=3)}, {"counts": 8}))
>>> after.rows_read, after.lag, after.rows_written, after.rows_per_second
(1000, 3, 8, 2000.0)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from firesteel.observe.snapshot import (
    BucketState,
    JobSnapshot,
    Sample,
    SinkSnapshot,
    SourceSnapshot,
    State,
    StateSnapshot,
    Waiting,
)

#: The rate is that of the last seconds: it follows changes, and does not jump with every batch.
_WINDOW = 10.0


@dataclass(frozen=True)
class SourceProgress:
    """The rows of one table in one batch. `lag` is the number of rows that were left unread."""

    rows: int
    lag: int | None = None


@dataclass(frozen=True)
class Progress:
    """One batch of one query. `timestamp` is its end, in seconds since 1970. `rejects` counts per (table, reason).

    `places` has the topic, partition and offset of one refused record of a table; `dead_letters` counts per (table,
    topic they were written to); `late` counts rows that came after their window was closed. `skipped`: the batch had
    been written before a failure, and was not written again. `changed` counts values that decoding changed, per (table,
    column); `empty` counts messages that gave no row.
    `states` has what operators of the state engine keep in the buckets that had rows.
    """

    query: str
    batch_id: int
    duration_ms: int
    timestamp: float
    sources: Mapping[str, SourceProgress] = field(default_factory=lambda: MappingProxyType({}))
    sinks: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    rejects: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    places: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    dead_letters: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    late: int = 0
    skipped: bool = False
    changed: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))
    empty: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    states: Mapping[str, Mapping[int, BucketState]] = field(default_factory=lambda: MappingProxyType({}))


def apply(snapshot: JobSnapshot, progress: Progress) -> JobSnapshot:
    """Returns the snapshot after this batch. The state of a job that is stopping or has ended does not change."""
    sources = {(source.query, source.table): source for source in snapshot.sources}
    # A table may have refused records in a batch that has no other progress of it.
    for table in dict.fromkeys([*progress.sources, *(table for table, _ in progress.rejects)]):
        known = sources.get((progress.query, table), SourceSnapshot(table, progress.query))
        sources[progress.query, table] = _read(known, table, progress)
    sinks = {(sink.query, sink.table): sink for sink in snapshot.sinks}
    for table, rows in progress.sinks.items():
        sink = sinks.get((progress.query, table), SinkSnapshot(table, progress.query))
        sinks[progress.query, table] = dataclasses.replace(sink, rows=sink.rows + rows)
    operators = {(kept.query, kept.operator): kept for kept in snapshot.operators}
    for operator, buckets in progress.states.items():
        kept = operators.get((progress.query, operator), StateSnapshot(operator, progress.query))
        operators[progress.query, operator] = _kept(kept, buckets)
    return dataclasses.replace(
        snapshot,
        operators=tuple(operators.values()),
        state=State.RUNNING if snapshot.state is State.STARTING else snapshot.state,
        updated=max(snapshot.updated, progress.timestamp),
        sources=tuple(sources.values()),
        sinks=tuple(sinks.values()),
        batches=snapshot.batches + 1,
        skipped_batches=snapshot.skipped_batches + progress.skipped,
        batch_id=progress.batch_id,
        batch_ms=progress.duration_ms,
        last_batch=progress.timestamp,
        doing="" if snapshot.state is State.STARTING else snapshot.doing,
        idle=False,
        waiting=None,
        late=snapshot.late + progress.late,
    )


def rest(
    snapshot: JobSnapshot, read: Iterable[tuple[str, str]], idle: bool, waiting: Waiting | None = None
) -> JobSnapshot:
    """Returns the snapshot of a job in which no batch has ended for a while. `read` are the tables, as (query, table),
    that have been read to their end; `idle`: all tables have.

    >>> after = rest(JobSnapshot("job"), [("q", "views")], True)
    >>> after.state, after.lag, after.idle
    (<State.RUNNING: 'running'>, 0, True)
    """
    known = {(source.query, source.table): source for source in snapshot.sources}
    read = tuple(read)
    for query, table in read:
        known[query, table] = dataclasses.replace(
            known.get((query, table), SourceSnapshot(table, query)), lag=0, rows_per_second=0.0
        )
    started = snapshot.state is State.STARTING and bool(read)
    return dataclasses.replace(
        snapshot,
        state=State.RUNNING if started else snapshot.state,
        doing="" if started else snapshot.doing,
        sources=tuple(known.values()),
        idle=idle and waiting is None,
        waiting=waiting,
    )


def _read(source: SourceSnapshot, table: str, progress: Progress) -> SourceSnapshot:
    batch = progress.sources.get(table)
    source = dataclasses.replace(
        source,
        rejects=_added(source.rejects, table, progress.rejects),
        first_reject=source.first_reject or progress.places.get(table),
        dead_letters=_added(source.dead_letters, table, progress.dead_letters),
        changed=_added(source.changed, table, progress.changed),
        empty=source.empty + progress.empty.get(table, 0),
    )
    if batch is None:
        return source
    sample = Sample(progress.timestamp, progress.duration_ms / 1000, batch.rows)
    recent = (*(old for old in source.recent if old.time > progress.timestamp - _WINDOW), sample)
    return dataclasses.replace(
        source,
        rows=source.rows + batch.rows,
        rows_per_second=_rate(recent),
        lag=source.lag if batch.lag is None else batch.lag,
        recent=recent,
    )


def _kept(state: StateSnapshot, buckets: Mapping[int, BucketState]) -> StateSnapshot:
    return dataclasses.replace(
        state,
        buckets=MappingProxyType({**state.buckets, **buckets}),
        expired=state.expired + sum(bucket.expired for bucket in buckets.values()),
        written=state.written + sum(bucket.written for bucket in buckets.values()),
    )


def _added(known: Mapping[str, int], table: str, new: Mapping[tuple[str, str], int]) -> Mapping[str, int]:
    counts = dict(known)
    for (refused, what), count in new.items():
        if refused == table and count:
            counts[what] = counts.get(what, 0) + count
    return MappingProxyType(counts)


def _rate(samples: tuple[Sample, ...]) -> float:
    seconds = samples[-1].time - (samples[0].time - samples[0].seconds)
    # Several batches may end at the same clock reading.
    return sum(sample.rows for sample in samples) / max(seconds, 0.001)
