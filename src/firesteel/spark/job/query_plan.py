"""Says what a query is before it runs: frozen values, which `Query` starts and follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.observe.progress import Progress
from firesteel.observe.shown import OnShown
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.runtimes import Runtimes
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


@dataclass(frozen=True)
class QueryPlan:
    """One INSERT of a job: `number` is its position among them, `checkpoint` the folder of its state. `runtimes` are those of the
    job's tables.
    """

    name: str
    number: int
    sink: Sink
    checkpoint: Folder
    settings: QuerySettings
    runtimes: Runtimes


@dataclass(frozen=True)
class QueryEvents:
    """Who is called: `on_progress` from the follower's thread, `on_end` from another one when a bounded query has read everything,
    `on_shown` with rows for a person.
    """

    on_progress: Callable[[Progress], None]
    on_end: Callable[[], None]
    on_shown: OnShown
