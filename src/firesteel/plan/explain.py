"""A plan as text: one node per line, each ending in its changelog mode. These texts are the plan tests."""

from __future__ import annotations

from firesteel.changelog import render_changelog
from firesteel.plan.node import Node


def render_plan(node: Node) -> str:
    return "\n".join(_lines(node, 0))


def _lines(node: Node, depth: int) -> list[str]:
    lead = "" if depth == 0 else "   " * (depth - 1) + "+- "
    lines = [f"{lead}{node.label}, changelog={render_changelog(node.changelog)}"]
    for child in node.inputs:
        lines.extend(_lines(child, depth + 1))
    return lines
