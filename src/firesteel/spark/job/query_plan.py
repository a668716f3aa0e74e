"""Says what a query is before it runs: frozen values, which `Query` starts and follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.observe.progress import Progress
from firesteel.observe.shown import OnShown
from firesteel.options.setting import (
    CHECKPOINTING_INTERVAL,
    MINI_BATCH_ALLOW_LATENCY,
    NOT_NULL_ENFORCER,
    SOURCE_IDLE_TIMEOUT,
    TYPE_LENGTH_ENFORCER,
    LengthEnforcer,
    NotNullEnforcer,
)
from firesteel.plan.analyze import Analysis
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.runtimes import Runtimes
from firesteel.spark.layout import Layout
from firesteel.spark.source.kept import Kept
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class QuerySettings:
    """What a script sets for all of its queries. `cold`: Spark has just been started. `in_rocksdb`: that is where state is kept."""

    interval_ms: int = 0
    drop_nulls: bool = False
    trim_pad: bool = False
    check_lengths: bool = False
    idle_seconds: float = 0.0
    cold: bool = False
    in_rocksdb: bool = False


def query_settings(analysis: Analysis, *, cold: bool, in_rocksdb: bool) -> QuerySettings:
    interval = analysis.setting(CHECKPOINTING_INTERVAL) or analysis.setting(MINI_BATCH_ALLOW_LATENCY)
    idle = analysis.setting(SOURCE_IDLE_TIMEOUT)
    lengths = analysis.setting(TYPE_LENGTH_ENFORCER)
    return QuerySettings(
        interval_ms=int(interval.total_seconds() * 1000) if interval else 0,
        drop_nulls=analysis.setting(NOT_NULL_ENFORCER) is NotNullEnforcer.DROP,
        trim_pad=lengths is LengthEnforcer.TRIM_PAD,
        check_lengths=lengths is LengthEnforcer.ERROR,
        idle_seconds=idle.total_seconds() if idle else 0.0,
        cold=cold,
        in_rocksdb=in_rocksdb,
    )


@dataclass(frozen=True)
class QueryPlan:
    """One INSERT of a job: `number` is its position among them, `checkpoint` the folder of its state, which is laid out as `layout` says.
    `runtimes` are those of the job's tables, `kept` is where sources stood whose state was given up.
    """

    name: str
    number: int
    sink: Sink
    checkpoint: Folder
    settings: QuerySettings
    runtimes: Runtimes
    layout: Layout
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True)
class QueryEvents:
    """Who is called: `on_progress` from the follower's thread, `on_end` from another one when a bounded query has read everything,
    `on_shown` with rows for a person.
    """

    on_progress: Callable[[Progress], None]
    on_end: Callable[[], None]
    on_shown: OnShown
