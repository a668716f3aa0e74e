"""Moves the state of a stopped query to another number of tasks, as a batch of its own that reads and writes nothing."""

from __future__ import annotations

import time

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark

from firesteel.spark.failure import describe, explain_failure
from firesteel.spark.internals import rewrite_state
from firesteel.spark.layout import Layout
from firesteel.spark.rescale import raw_row
from firesteel.spark.rescale.dealing import Deal, deal_state
from firesteel.spark.rescale.layout import KeptLayout, begin_move, finish_move
from firesteel.storage.folder import Folder

#: By this column the rows of Spark's state are dealt to tasks.
_KEY = "partition_key"
_FAMILY = "column_family_name"
_BUCKET = spark.StructType([spark.StructField("bucket", spark.IntegerType())])


def move_state(session: SparkSession, query: Folder, kept: KeptLayout, target: Layout) -> None:
    """Moves the state of all operators. `kept` is what the checkpoint says, of a query whose last batch is done.

    A process that dies in the middle leaves what `undo_move` removes: the state counts as moved with the last file that is written.
    """
    batch = kept.batch + 1
    deal = Deal(target.tasks, target.buckets, int(time.time() * 1000))
    is_dealt = target.buckets != kept.layout.buckets

    def change(rows: DataFrame) -> DataFrame:
        key = rows.schema[_KEY].dataType
        assert isinstance(key, spark.StructType)
        if not key.fields:
            # A group of all rows has no key, and is in the first task.
            return rows.coalesce(1)
        if is_dealt and key == _BUCKET and _is_of_engine(rows):
            return deal_state(rows, deal)
        return rows.repartition(target.tasks, _KEY)

    try:
        begin_move(query, batch, target)
        names = rewrite_state(session, query.uri, (kept.batch, batch), change)
    except PySparkException as error:
        raise explain_failure(describe(error), query) from None
    finish_move(query, batch, target, names)


def _is_of_engine(rows: DataFrame) -> bool:
    """Tells the state engine's operators from a group by a column that is called as its buckets are."""
    first = rows.select(_FAMILY).head()
    return first is not None and first[0] in (raw_row.MANIFEST, raw_row.PIECES)
