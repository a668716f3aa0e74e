"""Says all that a worker needs to write a Kafka table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.partitioner import Partitioner
from firesteel.formats.bound import BoundFormat
from firesteel.spark.sink.checked_rows import SinkColumns


@dataclass(frozen=True)
class Target:
    """Where messages go. `config` may hold secrets. `lossy`: what the broker refuses is lost, and the job goes on."""

    config: Mapping[str, str]
    topics: Subscription
    partitioner: Partitioner
    lossy: bool = False


@dataclass(frozen=True)
class Encoding:
    """How rows become messages: `metadata` maps the columns that are written as metadata to their keys."""

    value: BoundFormat
    key: BoundFormat | None
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class ChangeRule:
    """What becomes of changes."""

    #: They are written as upserts and tombstones of their key.
    upsert: bool = False
    #: They come in no order: a row that is retracted as often as it is inserted has not changed.
    net: bool = False
    #: DLI's `retract`: each change is written, the old row as a null value of its key before the new one.
    retract: bool = False
    #: DLI's `ignore-retraction`: what is to be retracted stays.
    ignore_deletes: bool = False
    #: How many keys a task gathers, to write only the last change of each; 0: none.
    gathered_keys: int = 0


@dataclass(frozen=True)
class WriteSpec:
    """All a worker needs to write a table."""

    columns: SinkColumns
    target: Target
    encoding: Encoding
    changes: ChangeRule = field(default_factory=ChangeRule)
