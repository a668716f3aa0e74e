"""The state of a job at one moment, as an immutable value. Views draw it, tests compare it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType


class State(Enum):
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        return self in (State.STOPPED, State.FINISHED, State.FAILED)


@dataclass(frozen=True)
class Sample:
    """Rows read in one batch that ended at `time` and took `seconds`."""

    time: float
    seconds: float
    rows: int


@dataclass(frozen=True)
class SourceSnapshot:
    """The progress of one table. `lag` is the number of unread rows in Kafka; None if unknown. `recent` gives the rate.

    `rejects` counts refused records by reason, `first_reject` is the position of one of the first, and `dead_letters`
    counts those that were written to a topic, by topic. `changed` counts values that decoding changed, by column, and
    `empty` counts messages that gave no row.
    """

    table: str
    query: str = ""
    rows: int = 0
    rows_per_second: float = 0.0
    lag: int | None = None
    rejects: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    recent: tuple[Sample, ...] = ()
    first_reject: str | None = None
    dead_letters: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    changed: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    empty: int = 0


@dataclass(frozen=True)
class SinkSnapshot:
    table: str
    query: str = ""
    rows: int = 0


@dataclass(frozen=True)
class BucketState:
    """What one bucket of an operator keeps since its last batch: rows, bytes, segments, and merges that are on their way.

    `oldest`: when the row was written that was not written again for the longest time, in milliseconds since 1970, where state
    ends. `expired` counts rows that have gone since, `written` the bytes of the batch, `late` rows that came after their window was
    closed. `wake`: when time alone changes something next, in milliseconds since 1970.
    """

    rows: int = 0
    bytes: int = 0
    segments: int = 0
    merging: int = 0
    oldest: int | None = None
    expired: int = 0
    written: int = 0
    late: int = 0
    wake: int | None = None


@dataclass(frozen=True)
class StateSnapshot:
    """What a stateful operator keeps, bucket by bucket: those that have had rows since the job was started.

    `expired` and `written` are sums over all batches since then.
    """

    operator: str
    query: str = ""
    buckets: Mapping[int, BucketState] = field(default_factory=lambda: MappingProxyType({}))
    expired: int = 0
    written: int = 0

    @property
    def rows(self) -> int:
        return sum(bucket.rows for bucket in self.buckets.values())

    @property
    def bytes(self) -> int:
        return sum(bucket.bytes for bucket in self.buckets.values())

    @property
    def segments(self) -> int:
        return sum(bucket.segments for bucket in self.buckets.values())

    @property
    def merging(self) -> int:
        return sum(bucket.merging for bucket in self.buckets.values())

    @property
    def oldest(self) -> int | None:
        return min((bucket.oldest for bucket in self.buckets.values() if bucket.oldest is not None), default=None)


@dataclass(frozen=True)
class Waiting:
    """A broker that does not answer: since when, which one, and the reason if it is known."""

    since: float
    broker: str
    why: str


@dataclass(frozen=True)
class JobSnapshot:
    """The state of a job. Times are seconds since 1970. `batch_id` and `batch_ms` belong to the batch that ended last,
    at `last_batch`.

    `doing` describes what a job does while it starts or stops. `idle`: it has read everything and waits for more.
    `restarts` counts how often a query was restarted because a broker or a process of Spark was lost, `torn` the
    queries whose batch was interrupted by a stop.

    `late` counts rows that came after their window was closed, and were dropped. `skipped_batches` had been written
    before a failure, and were not written again.
    """

    name: str
    state: State = State.STARTING
    started: float = 0.0
    updated: float = 0.0
    sources: tuple[SourceSnapshot, ...] = ()
    sinks: tuple[SinkSnapshot, ...] = ()
    operators: tuple[StateSnapshot, ...] = ()
    batches: int = 0
    batch_id: int | None = None
    batch_ms: int | None = None
    late: int = 0
    checkpoint: str | None = None
    warnings: tuple[str, ...] = ()
    error: str | None = None
    skipped_batches: int = 0
    doing: str = ""
    idle: bool = False
    waiting: Waiting | None = None
    last_batch: float | None = None
    restarts: int = 0
    torn: int = 0

    @property
    def has_run(self) -> bool:
        """Checks whether the job has done anything that a summary can show."""
        return bool(self.batches or self.sources or self.torn) or self.state is not State.FAILED

    @property
    def rows_read(self) -> int:
        return sum(source.rows for source in self.sources)

    @property
    def rows_written(self) -> int:
        return sum(sink.rows for sink in self.sinks)

    @property
    def rows_per_second(self) -> float:
        return sum(source.rows_per_second for source in self.sources)

    @property
    def lag(self) -> int | None:
        known = [source.lag for source in self.sources if source.lag is not None]
        return sum(known) if known else None

    @property
    def rejects(self) -> int:
        return sum(sum(source.rejects.values()) for source in self.sources)

    @property
    def seconds(self) -> float:
        return max(0.0, self.updated - self.started)
