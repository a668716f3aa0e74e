"""Names all kinds of nodes of a plan.

The columns of a node have unique names; expressions name the columns of the node's input. `Node` is a closed union: a `match`
over it that ends in `assert_never` has to name every kind.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.plan.node.aggregate import Aggregate
from firesteel.plan.node.join import Join
from firesteel.plan.node.materialize import Materialize
from firesteel.plan.node.plan_node import UniqueKey
from firesteel.plan.node.project import Filter, Project
from firesteel.plan.node.rank import Ordering, Rank
from firesteel.plan.node.scan import Normalize, Scan, Values
from firesteel.plan.node.sink import Sink
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.union import Union
from firesteel.plan.node.unnest import Unnest
from firesteel.plan.node.window import Watermark, Window, WindowAggregate

__all__ = [
    "Aggregate",
    "Filter",
    "Join",
    "Materialize",
    "Node",
    "Normalize",
    "Ordering",
    "Project",
    "Rank",
    "Scan",
    "Sink",
    "TimeJoin",
    "Union",
    "UniqueKey",
    "Unnest",
    "Values",
    "Watermark",
    "Window",
    "WindowAggregate",
    "map_inputs",
    "scans",
]

Node = (
    Scan
    | Values
    | Normalize
    | Watermark
    | Project
    | Filter
    | Aggregate
    | Union
    | Join
    | TimeJoin
    | Rank
    | Unnest
    | Window
    | WindowAggregate
    | Materialize
    | Sink
)


def scans(node: Node) -> tuple[Scan, ...]:
    """Returns the tables that a plan reads, from left to right."""
    if isinstance(node, Scan):
        return (node,)
    return tuple(scan for child in node.inputs for scan in scans(child))


def map_inputs(node: Node, change: Callable[[Node], Node]) -> Node:
    """Returns the node with each input replaced by what `change` makes of it."""
    return node.with_inputs(*map(change, node.inputs)) if node.inputs else node
