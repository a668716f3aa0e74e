"""Rewrites QUALIFY as a filter around the query."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.node import span_of, stamp

#: The names of columns that the condition needs and the query does not select.
_HIDDEN = "QUALIFY$"


def inside_qualify(select: exp.Select) -> tuple[exp.Select, exp.Expression, int]:
    """Returns the query without QUALIFY, the condition over its columns, and the number of hidden columns.

    A hidden column is added for each value that the condition needs and the query does not select.
    """
    inner = select.copy()
    for clause in ("qualify", "order", "limit", "offset"):
        inner.set(clause, None)
    condition = select.args["qualify"].this.copy()
    wrapper = exp.Paren(this=condition)
    selected = {item.alias_or_name for item in select.expressions if item.alias_or_name != "*"}
    windows = list(condition.find_all(exp.Window))
    if not windows and not any(item.find(exp.Window) for item in select.expressions):
        raise Mistake(
            "QUALIFY needs a function with OVER.", span_of(condition), "Write the condition behind WHERE or HAVING."
        )
    hidden: dict[exp.Expression, str] = {}
    known = {item.unalias(): item.alias for item in select.expressions if item.alias}

    def replaced(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table and node.name in selected:
            return node
        if not isinstance(node, exp.Window | exp.Column):
            return node
        name = known.get(node) or hidden.setdefault(node, f"{_HIDDEN}{len(hidden)}")
        reference = exp.column(name, quoted=True)
        if (span := span_of(node)) is not None:
            stamp(reference, span.start, span.end)
        return reference

    outside = wrapper.transform(replaced, copy=False)
    for node, name in hidden.items():
        added = exp.Alias(this=node.copy(), alias=exp.Identifier(this=name, quoted=True))
        if (span := span_of(node)) is not None:
            stamp(added, span.start, span.end)
        inner.append("expressions", added)
    return inner, outside.this, len(hidden)
