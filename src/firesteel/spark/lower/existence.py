"""Tracks distinct values: inserts a value with its first row, deletes it with its last."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import BATCH, KIND, SIGN
from firesteel.spark.column import column
from firesteel.spark.hidden_column import sign
from firesteel.spark.lower.batch_fold import fold_measures


def existence(rows: DataFrame, by: Sequence[str], partitions: int) -> DataFrame:
    """Returns one row for each value that appears or disappears with this batch: the columns `by`, and SIGN."""
    names = [column(name) for name in by]
    if KIND not in rows.columns:
        return rows.select(*names).dropDuplicates(list(by)).withColumn(SIGN, sign(rows.select(*names)))
    folded = fold_measures(rows.select(*names, sign(rows).alias(SIGN)), by, [(SIGN, "sum")], partitions)
    # One row for each value and batch: the current count, minus what this batch added, is the count before.
    now, added = F.sum(column(SIGN)), F.max_by(column(SIGN), column(BATCH))
    counted = folded.groupBy(*names).agg(now.alias("__now"), (now - added).alias("__before"))
    alive = (column("__now") > 0).cast("bigint") - (column("__before") > 0).cast("bigint")
    return counted.select(*names, alive.alias(SIGN)).where(column(SIGN) != 0)
