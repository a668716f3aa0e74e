"""Brings the state of a query to the number of tasks that the job has now, before the query starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import SparkSession

from firesteel.options.setting import PARALLELISM_DEFAULT, RESOURCE_PARALLELISM
from firesteel.plan.analyze import Analysis
from firesteel.spark.job.query import Query
from firesteel.spark.job.query_plan import QueryEvents, QueryPlan
from firesteel.spark.job.stream import parallelism_of
from firesteel.spark.layout import Layout
from firesteel.spark.place import spark_settings
from firesteel.spark.rescale.layout import (
    bucket_count,
    check_rescale,
    note_start,
    read_layout,
    undo_move,
    wanted_layout,
)
from firesteel.spark.rescale.move import move_state


def asked_tasks(analysis: Analysis) -> int | None:
    """Tells in how many tasks the script wants its state; None where it does not say, and state stays in those that it is in."""
    asked = spark_settings(analysis).get("spark.sql.shuffle.partitions")
    return int(asked) if asked else analysis.setting(RESOURCE_PARALLELISM) or analysis.setting(PARALLELISM_DEFAULT)


def usual_layout(session: SparkSession) -> Layout:
    """Gives the layout of state that begins."""
    tasks = parallelism_of(session)
    return Layout(tasks, bucket_count(tasks))


def laid_out(
    session: SparkSession,
    plan: QueryPlan,
    events: QueryEvents,
    asked: int | None,
    on_move: Callable[[int], None],
    go_on: Callable[[], None],
) -> QueryPlan:
    """Gives the plan with the layout that its state has. If another number of tasks is asked for, the state is moved there first.

    A batch that was begun is finished before that, in the tasks that it was planned for. `on_move` is told of a move, `go_on` raises when the
    job is to stop.
    """
    query = plan.checkpoint
    undo_move(query)
    kept = read_layout(query)
    if kept is None:
        note_start(query, plan.layout.buckets)
        return plan
    if not kept.has_state:
        return plan
    old = replace(plan, layout=kept.layout)
    if asked is None or asked == kept.layout.tasks:
        return old
    on_move(asked)
    if kept.is_begun:
        Query(old, events).finish_begun(session, go_on)
        kept = read_layout(query)
        assert kept is not None
        check_rescale(query, asked)
    target = wanted_layout(kept.layout, asked)
    if kept.has_state:
        move_state(session, query, kept, target)
    return replace(plan, layout=target)
