"""The passes over a plan, in their order.

What an INSERT is checked for stands between the two halves: how rows are told apart is only known while every column is there,
and a message names what the query says, not what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from firesteel.plan.node.relation import Node, Sink
from firesteel.plan.rewrite.combine_equal_rows import combine_equal_rows
from firesteel.plan.rewrite.keep_old_rows import keep_old_rows
from firesteel.plan.rewrite.limit_rank import limit_rank
from firesteel.plan.rewrite.merge_projects import merge_projects
from firesteel.plan.rewrite.number_rows import number_rows
from firesteel.plan.rewrite.place_watermarks import place_watermarks
from firesteel.plan.rewrite.prune_columns import prune_columns

Pass = Callable[[Node], Node]

#: What the plan does. Projects are merged before a filter on places is looked for, and again where it went; a watermark that
#: nobody waits for would keep them apart, and a key that is a constant can be seen to be one behind them.
SHAPING: tuple[Pass, ...] = (place_watermarks, merge_projects, limit_rank, merge_projects, keep_old_rows)

#: With how little it does it.
TRIMMING: tuple[Pass, ...] = (prune_columns, number_rows, combine_equal_rows)


def rewrite(sink: Sink, passes: Iterable[Pass]) -> Sink:
    for one in passes:
        rewritten = one(sink)
        assert isinstance(rewritten, Sink)
        sink = rewritten
    return sink
