"""The passes over a plan, in their order.

An INSERT is checked between the two halves: unique keys are only known while every column is there, and messages name the
nodes of the query as it was written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from firesteel.plan.node.relation import Node, Sink
from firesteel.plan.rewrite.combine_equal_rows import combine_equal_rows
from firesteel.plan.rewrite.leave_out_steps import leave_out_steps
from firesteel.plan.rewrite.limit_rank import limit_rank
from firesteel.plan.rewrite.merge_projects import merge_projects
from firesteel.plan.rewrite.number_rows import number_rows
from firesteel.plan.rewrite.place_watermarks import place_watermarks
from firesteel.plan.rewrite.prune_columns import prune_columns
from firesteel.plan.rewrite.share_time import share_time

Pass = Callable[[Node], Node]

#: The passes that decide what the plan does. Projects are merged before `limit_rank`, which looks for a filter on row
#: numbers, and again after it removed one. Watermarks that no node waits for go first: one between two projects would keep
#: them apart, and a constant key is only recognised in merged projects.
SHAPING: tuple[Pass, ...] = (place_watermarks, merge_projects, limit_rank, merge_projects)

#: The passes that decide where the plan runs, and save work without a change of the result. Equal rows are combined last, for
#: operators of Spark's alone.
TRIMMING: tuple[Pass, ...] = (share_time, prune_columns, leave_out_steps, number_rows, combine_equal_rows)


def rewrite(sink: Sink, passes: Iterable[Pass]) -> Sink:
    """Applies the passes in their order."""
    for one in passes:
        rewritten = one(sink)
        assert isinstance(rewritten, Sink)
        sink = rewritten
    return sink
