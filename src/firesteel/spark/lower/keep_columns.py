"""Rows that are used more than once and read once: Spark reuses an exchange only where all that use it ask for the same columns."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.spark.column import column


def keep_columns(rows: DataFrame) -> DataFrame:
    """The same rows, below which no column that varies is pruned.

    The condition holds for each row and reads every column; it is not deterministic, so that Spark leaves it where it stands. That
    each column has a number of its own keeps a constant column from making the rest of the condition needless.
    """
    place = F.spark_partition_id()
    parts = [(place > number) & column(name).isNull() for number, name in enumerate(rows.columns)]
    return rows.where(reduce(Column.__or__, parts, place >= 0))
