"""Pass: give each node that keeps state the time to live of the job, unless a hint has given it another."""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.node.relation import Aggregate, Join, Materialize, Node, Normalize, Rank, map_inputs


def expire_state(node: Node, ttl: int) -> Node:
    """Sets the time to live of all state, in milliseconds; 0 keeps it for ever."""
    node = map_inputs(node, lambda child: expire_state(child, ttl))
    match node:
        case Rank(window_end=None) | Aggregate() | Normalize() | Materialize():
            return replace(node, ttl=ttl) if node.ttl is None else node
        case Join():
            left = ttl if node.left_ttl is None else node.left_ttl
            return replace(node, left_ttl=left, right_ttl=ttl if node.right_ttl is None else node.right_ttl)
        case _:
            # Windows and interval joins drop their state by event time.
            return node
