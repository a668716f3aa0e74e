"""Pass: remove every column that no node above reads, so that it is not decoded."""

from __future__ import annotations

from firesteel.plan.node.relation import Node


def prune_columns(node: Node) -> Node:
    return _prune(node, frozenset(field.name for field in node.fields))


def _prune(node: Node, outputs: frozenset[str]) -> Node:
    wanted = node.columns_needed(outputs)
    inputs = [_prune(child, names) for child, names in zip(node.inputs, wanted, strict=True)]
    narrow = node.narrowed(outputs)
    return narrow.with_inputs(*inputs) if inputs else narrow
