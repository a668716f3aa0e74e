"""Which columns are times that rows come in the order of: a table's event time, and the time of processing."""

from __future__ import annotations

from firesteel.plan.expression import Call, ColumnRef
from firesteel.plan.node import Filter, Node, Project, Scan
from firesteel.plan.window import Watermark, Window, WindowAggregate


def is_time(node: Node, name: str) -> bool:
    match node:
        case Scan(table=table):
            return table.watermark is not None and table.watermark.column == name
        case Project():
            for field, expression in zip(node.fields, node.expressions, strict=True):
                if field.name != name:
                    continue
                if isinstance(expression, Call) and expression.function == "PROCTIME":
                    return True
                if isinstance(expression, ColumnRef):
                    return is_time(node.input, expression.name)
                return _is_computed_time(node, name)
            return False
        case Watermark():
            return node.column == name or is_time(node.input, name)
        case Window():
            return node.rowtime == name
        case WindowAggregate():
            return name in node.rowtimes
        case Filter():
            return is_time(node.input, name)
        case _:
            return False


def _is_computed_time(node: Project, name: str) -> bool:
    """The watermark may stand on a computed column, which the Project above the Scan makes."""
    scan = node.input
    return isinstance(scan, Scan) and scan.table.watermark is not None and scan.table.watermark.column == name
