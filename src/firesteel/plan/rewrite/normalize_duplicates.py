"""Pass: read changelog topics in which a change may stand twice through a node that leaves the second one out."""

from __future__ import annotations

from firesteel.catalog.connector import chooses_key
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.plan.node.relation import Node, Normalize, Scan, map_inputs


def normalize_duplicates(node: Node) -> Node:
    if isinstance(node, Scan) and may_hold_duplicates(node) and node.table.primary_key:
        return Normalize(node, duplicates=True, net=True, span=node.span)
    return map_inputs(node, normalize_duplicates)


def may_hold_duplicates(scan: Scan) -> bool:
    """Says whether the records of a topic are changes, told apart by a PRIMARY KEY that is not the message key."""
    return chooses_key(scan.table) and scan.changelog != INSERT_ONLY
