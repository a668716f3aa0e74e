"""What a task knows about itself."""

from __future__ import annotations

from pyspark import TaskContext

#: Where Spark tells a task which batch it belongs to.
_BATCH_ID = "streaming.sql.batchId"
#: Its first line is the query's name.
_DESCRIPTION = "spark.job.description"


def batch_number() -> int:
    context = TaskContext.get()
    assert context is not None
    return int(context.getLocalProperty(_BATCH_ID) or 0)


def task_number() -> int:
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def query_name() -> str:
    """Names the query that a task works for, as far as Spark says it."""
    context = TaskContext.get()
    told = context.getLocalProperty(_DESCRIPTION) if context is not None else None
    return told.partition("\n")[0] if told else ""
