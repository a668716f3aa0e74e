"""Moves the state of a stopped query to another number of tasks, as a batch of its own that reads and writes nothing."""

from __future__ import annotations

import time

from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as spark

from firesteel.spark.failure import describe, explain_failure
from firesteel.spark.internals import as_schema, rewrite_state
from firesteel.spark.layout import Layout
from firesteel.spark.rescale import raw_row
from firesteel.spark.rescale.dealing import Deal, deal_state
from firesteel.spark.rescale.layout import KeptLayout, begin_move, finish_move, make_view
from firesteel.storage.folder import Folder

#: By this column the rows of Spark's state are dealt to tasks.
_KEY = "partition_key"
_FAMILY = "column_family_name"
_BUCKET = spark.StructType([spark.StructField("bucket", spark.IntegerType())])


def move_state(session: SparkSession, query: Folder, kept: KeptLayout, target: Layout) -> None:
    """Moves the state of all operators. `kept` is what the checkpoint says, of a query whose last batch is done.

    State in hash maps moves to RocksDB: Spark writes no hash maps but those of a running query. A process that dies in the middle leaves what
    `undo_move` removes: the state counts as moved with the last file that is written.
    """
    batch = kept.batch + 1
    deal = Deal(target.tasks, target.buckets, int(time.time() * 1000))
    is_dealt = target.buckets != kept.layout.buckets

    def change(rows: DataFrame, operator: int, store: str) -> DataFrame:
        key = rows.schema[_KEY].dataType
        assert isinstance(key, spark.StructType)
        if view is not None:
            return _out_of_hash_map(session, query, (operator, store), rows, target.tasks)
        if is_dealt and key == _BUCKET and _is_of_engine(rows):
            return deal_state(rows, deal)
        return _repartitioned(rows, key, target.tasks)

    begin_move(query, batch, target)
    view = None if kept.is_in_rocksdb else make_view(query, kept.batch)
    try:
        names = rewrite_state(session, query.uri, (kept.batch, batch), change, None if view is None else view.uri)
    except PySparkException as error:
        raise explain_failure(describe(error), query) from None
    finish_move(query, batch, target, names)
    if view is not None:
        view.delete()


def _repartitioned(rows: DataFrame, key: spark.StructType, tasks: int) -> DataFrame:
    # A group of all rows has no key, and is in the first task.
    return rows.repartition(tasks, _KEY) if key.fields else rows.coalesce(1)


def _out_of_hash_map(
    session: SparkSession, query: Folder, store: tuple[int, str], raw: DataFrame, tasks: int
) -> DataFrame:
    """Gives the raw rows of a store that is in hash maps, which Spark reads as rows only. `raw` has their schema."""
    key = raw.schema[_KEY].dataType
    assert isinstance(key, spark.StructType)
    reader = session.read.format("statestore").option("operatorId", store[0]).option("storeName", store[1])
    rows = reader.load(query.uri)
    found = rows.schema["key"].dataType
    assert isinstance(found, spark.StructType)
    # What rows are dealt by stands first in the key of every store.
    parts = [F.col("key")[one.name].alias(part.name) for one, part in zip(found.fields, key.fields, strict=False)]
    dealt_by = F.struct(*parts) if parts else F.lit(None).cast(key)
    rows = rows.select(dealt_by.alias(_KEY), "key", "value", F.lit("default").alias(_FAMILY))
    return as_schema(session, _repartitioned(rows, key, tasks), raw)


def _is_of_engine(rows: DataFrame) -> bool:
    """Tells the state engine's operators from a group by a column that is called as its buckets are."""
    first = rows.select(_FAMILY).head()
    return first is not None and first[0] in (raw_row.MANIFEST, raw_row.PIECES)
