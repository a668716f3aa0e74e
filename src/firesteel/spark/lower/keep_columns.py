"""Keeps Spark from pruning columns of rows that are used more than once: it reuses an exchange only if all its users
need the same columns.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.spark.column import column


def keep_columns(rows: DataFrame) -> DataFrame:
    """Returns the same rows, with a filter below which no column that varies is pruned.

    The condition holds for each row and reads every column; it is not deterministic, so that Spark does not move it.
    Each column has a number of its own in it, so that a constant column does not make the rest redundant.
    """
    partition = F.spark_partition_id()
    parts = [(partition > number) & column(name).isNull() for number, name in enumerate(rows.columns)]
    return rows.where(reduce(Column.__or__, parts, partition >= 0))
