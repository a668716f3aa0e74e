"""Renders everything that a job's state depends on: the plan's nodes, the types of their columns, the topics they read.

A job continues from its state only if this text is the same as before. The topic that it writes to is not part of it.
"""

from __future__ import annotations

from firesteel.catalog.connector import identity
from firesteel.plan.fact.keyed import is_keyed, splits_distinct
from firesteel.plan.node.relation import Node, Scan, Sink, Values


def render_state(node: Node) -> str:
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> list[str]:
    columns = ", ".join(f"{field.name} {field.type}" for field in node.fields)
    label = f"Sink(columns=[{columns}])" if isinstance(node, Sink) else node.label
    lines = [f"{'  ' * depth}{label} -> ({columns})"]
    if isinstance(node, Scan):
        # The word stands in the state of running jobs, so it stays.
        lines[0] += f" from {identity(node.table)}{', weighed' if node.combined else ''}"
    if isinstance(node, Values):
        lines[0] += f" of {'; '.join(str(value) for row in node.rows for value in row)}"
    if is_keyed(node):
        lines[0] += " on the state engine"
    elif splits_distinct(node):
        lines[0] += " with distinct values on the state engine"
    for child in node.inputs:
        lines += _lines(child, depth + 1)
    return lines
