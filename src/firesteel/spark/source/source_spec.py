"""Says what a query reads of one table and which hidden columns the rows have, whatever the connector is."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import types as spark

from firesteel.changelog.hidden import REJECT, Hidden
from firesteel.spark.blob import BLOBS
from firesteel.spark.source.alarm import Alarm
from firesteel.spark.source.event_time import EventTime
from firesteel.spark.source.hidden import add_hidden
from firesteel.spark.type import spark_schema
from firesteel.state.block import Packing
from firesteel.storage.folder import Folder
from firesteel.types import Field


@dataclass(frozen=True)
class HiddenColumns:
    """What rows carry beside their own columns."""

    #: What each row means in a changelog.
    changes: bool
    #: Its position in the order of arrival.
    ordered: bool
    #: Equal rows of a task are one row with their number.
    combined: bool
    #: Those come in the order in which RocksDB keeps them.
    as_stored: bool
    #: Records that are refused are rows with a reason, which are counted and dropped; else the first one stops the job.
    tolerant: bool


@dataclass(frozen=True)
class SourceSpec:
    """What a query reads of a table. It travels to the workers, inside the reader.

    `number` is the source's among those of the query. `tasks` is how many tasks read, if there is so much to read. `tally` is the
    folder where reading tasks leave what they counted beside rows. Without `event_time` nobody waits for it. With `packings` rows
    come packed, for an operator of the state engine. With `alarm` the source runs a batch when the clock asks for one.
    """

    table: str
    number: int
    fields: tuple[Field, ...]
    columns: HiddenColumns
    is_bounded: bool
    tasks: int
    tally: Folder
    event_time: EventTime | None = None
    packings: tuple[Packing, ...] = ()
    alarm: Alarm | None = None

    @property
    def hidden(self) -> Hidden:
        """Gives the hidden columns of the rows."""
        columns, has_event_time = self.columns, self.event_time is not None
        return Hidden(
            kind=columns.changes,
            order=columns.ordered,
            event_time=has_event_time,
            reject=columns.tolerant,
            present=not (columns.tolerant or self.fields or columns.changes or columns.ordered or has_event_time),
            weight=columns.combined,
        )

    @property
    def schema(self) -> spark.StructType:
        """Gives the columns of the rows, as Spark knows them: of blobs where they are packed."""
        if self.packings:
            reason = [spark.StructField(REJECT, spark.StringType())] if self.columns.tolerant else []
            return spark.StructType([*BLOBS.fields, *reason])
        return add_hidden(spark_schema(self.fields), self.hidden)
