"""Pass: let operators that update and those that wait for event time share one query.

Spark has a mode for each: in one of them its operators give every change, in the other each row once, when its time has passed. The
state engine works in both. So where one of Spark's operators waits for event time, what updates runs on the engine.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.fact.event_time import closing_node
from firesteel.plan.node.relation import Aggregate, Node, Rank, Watermark, map_inputs


def share_time(node: Node) -> Node:
    return _share(node, closing_node(node) is not None)


def _share(node: Node, waits: bool) -> Node:
    """Rewrites a node. `waits`: one of Spark's operators in the plan waits for event time."""
    node = map_inputs(node, lambda child: _share(child, waits))
    match node:
        case Watermark():
            return replace(node, by_spark=waits)
        case Rank(keeps_first=True):
            # What is given is final: it runs in either mode.
            return node
        case Aggregate() | Rank():
            return replace(node, on_engine=waits)
        case _:
            return node
