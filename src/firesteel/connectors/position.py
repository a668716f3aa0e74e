"""Names how far a source has been read: a partition, the next offset of each partition, and both as JSON.

What a partition is, is the connector's own affair: of Kafka it is a topic and a number, of a source of one piece `("", 0)`.

>>> to_json({("views", 1): 7, ("views", 0): 5})
{'views': {'0': 5, '1': 7}}
>>> from_json({"views": {"0": 5}})
{('views', 0): 5}
"""

from __future__ import annotations

#: One part of a source that is read from its start to its end: a name and a number.
Partition = tuple[str, int]
#: The next offset to read, by partition.
Positions = dict[Partition, int]


def to_json(positions: Positions) -> dict[str, dict[str, int]]:
    """Writes positions in the form that Spark keeps in its offset log."""
    nested: dict[str, dict[str, int]] = {}
    for (name, number), offset in sorted(positions.items()):
        nested.setdefault(name, {})[str(number)] = offset
    return nested


def from_json(nested: dict[str, dict[str, int]]) -> Positions:
    """Reads positions as `to_json` wrote them."""
    return {(name, int(number)): offset for name, parts in nested.items() for number, offset in parts.items()}
