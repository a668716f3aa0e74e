"""Says all that a worker needs to read a Kafka table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firesteel.connectors.kafka.header_filter import HeaderFilter
from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.start import Bound, StartPosition
from firesteel.formats.bound import BoundFormat
from firesteel.spark.source.kept import Kept
from firesteel.spark.source.source_spec import SourceSpec
from firesteel.storage.folder import Folder
from firesteel.types import Field


@dataclass(frozen=True)
class Input:
    """Which messages are read. `config` may hold secrets, so it never becomes an option that Spark shows."""

    config: Mapping[str, str]
    subscription: Subscription
    start: StartPosition
    bound: Bound
    #: Messages whose headers do not pass it are no rows.
    header_filter: HeaderFilter | None = None


@dataclass(frozen=True)
class Decoding:
    """How messages become rows: `fields` are the columns that are read, in their order; `metadata` maps some of them to their keys.

    `changes`: rows carry what they mean in a changelog. `upsert`: a null value deletes the row of its key.
    """

    value: BoundFormat
    key: BoundFormat | None
    fields: tuple[Field, ...]
    metadata: Mapping[str, str]
    changes: bool = False
    upsert: bool = False


@dataclass(frozen=True)
class Pace:
    """How much a batch reads: `max_rows`, and `first_rows` after a start. New partitions are looked for every so many seconds."""

    max_rows: int
    first_rows: int
    discovery_seconds: float


@dataclass(frozen=True)
class ReadSpec:
    """All a worker needs to read a table."""

    rows: SourceSpec
    input: Input
    decoding: Decoding
    pace: Pace
    #: The folder where bad records wait to be written to a topic; None: they are only counted.
    stage: Folder | None = None
    #: Connects the producer of the query's sink, so that a worker that reads and will write need not wait for it.
    warm_up: Callable[[], None] | None = None
    #: Where the sources of the earlier plan stood, if its state was given up and their positions were kept.
    kept: tuple[Kept, ...] = ()
