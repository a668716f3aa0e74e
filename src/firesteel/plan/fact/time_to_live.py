"""Says how long the state of a node stays without being written again.

>>> render_milliseconds(86_400_000), render_milliseconds(5_400_000), render_milliseconds(1500)
('1 day', '90 minutes', '1500 ms')
"""

from __future__ import annotations

from firesteel.plan.node.relation import Aggregate, Join, Materialize, Node, Normalize, Rank

_UNITS = ((86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second"))


def times_to_live(node: Node) -> tuple[int, ...]:
    """Returns the time to live of each part of a node's state in milliseconds: a join has two, one for each side. 0 is for ever."""
    match node:
        case Rank(window_end=None) | Aggregate() | Normalize() | Materialize():
            return (node.ttl or 0,)
        case Join():
            return (node.left_ttl or 0, node.right_ttl or 0)
        case _:
            return ()


def render_milliseconds(ttl: int) -> str:
    """Renders a time to live in the largest unit that divides it."""
    for size, name in _UNITS:
        if ttl % size == 0:
            count = ttl // size
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    return f"{ttl} ms"
