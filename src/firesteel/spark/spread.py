"""How many tasks write a batch: `sink.parallelism`."""

from __future__ import annotations

from pyspark.sql import DataFrame

from firesteel.spark.expression import column


def spread(rows: DataFrame, tasks: int | None, key: tuple[str, ...]) -> DataFrame:
    """The rows in as many tasks as asked for. A key's rows stay in their order.

    Fewer tasks take over whole tasks of others. More tasks need a shuffle, which brings the rows of a key together;
    rows without a key are dealt out in turn, as Flink does.
    """
    if tasks is None:
        return rows
    now = rows._jdf.queryExecution().toRdd().getNumPartitions()
    if tasks <= now:
        return rows.coalesce(tasks)
    return rows.repartition(tasks, *(column(name) for name in key))
