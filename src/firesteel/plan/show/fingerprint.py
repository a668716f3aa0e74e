"""What a job's state depends on, as text: a plan's nodes, the types of their columns, the topics they read.

A script whose text here is another one cannot go on with the state of the old. Where it writes is no part of it.
"""

from __future__ import annotations

from firesteel.catalog.connector import identity
from firesteel.plan.node.relation import Node, Scan, Sink, Values


def render_state(node: Node) -> str:
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> list[str]:
    columns = ", ".join(f"{field.name} {field.type}" for field in node.fields)
    label = f"Sink(columns=[{columns}])" if isinstance(node, Sink) else node.label
    lines = [f"{'  ' * depth}{label} -> ({columns})"]
    if isinstance(node, Scan):
        lines[0] += f" from {identity(node.table)}{', weighed' if node.combined else ''}"
    if isinstance(node, Values):
        lines[0] += f" of {'; '.join(str(value) for row in node.rows for value in row)}"
    for child in node.inputs:
        lines += _lines(child, depth + 1)
    return lines
