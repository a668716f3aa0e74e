"""Resolves ROW_NUMBER() OVER (…), and ORDER BY with LIMIT: the first rows of an order."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import ColumnRef, Expression
from firesteel.plan.fact.event_order import is_time
from firesteel.plan.node.relation import Node, Ordering, Project, Rank
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.plan.resolve.select_list import Item
from firesteel.plan.resolve.window.closing import close_rank
from firesteel.sql.node import span_of, stamp
from firesteel.types import Array, BigInt, Field, Map, Multiset, Row


def has_window(node: exp.Expression) -> bool:
    return node.find(exp.Window) is not None


def resolve_row_number(relation: Relation, items: list[Item], windows: list[exp.Window]) -> tuple[Relation, list[Item]]:
    """Adds the row number as a column to the relation, and replaces the call of ROW_NUMBER() in the items by it."""
    over = [item for item in items if has_window(item.node)]
    window = over[0].node
    if len(over) > 1 or not isinstance(window, exp.Window):
        raise Mistake(
            "OVER is only supported as one ROW_NUMBER() OVER (…) among the columns of a SELECT.",
            span_of(over[-1].node),
        )
    function = window.this
    if not isinstance(function, exp.Anonymous) or function.name.upper() != "ROW_NUMBER" or function.expressions:
        advice = "ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) is."
        refused = f"'{function.name or 'This'}' with OVER is not supported yet."
        if function.name.upper() in ("RANK", "DENSE_RANK"):
            # Flink refuses it in a Top-N too; elsewhere it is not there yet.
            refused = refused.replace(" yet", "")
            advice += " Flink takes no other function in a Top-N either."
        raise Mistake(refused, span_of(window), advice)
    window = _named(window, windows)
    if window.args.get("spec"):
        raise Mistake("ROW_NUMBER() takes no frame.", span_of(window), "Leave ROWS or RANGE out.")
    order = window.args.get("order")
    if order is None:
        raise Mistake("ROW_NUMBER() needs ORDER BY.", span_of(window), "Write OVER (PARTITION BY … ORDER BY …).")
    columns = _Columns(relation, "OVER")
    partition = tuple(dict.fromkeys(columns.name_of(one) for one in window.args.get("partition_by") or ()))
    orderings = tuple(columns.ordering(one) for one in order.expressions)
    number = Field(columns.names.unique("row_number"), BigInt(nullable=False))
    node = columns.project()
    by_time = _by_time(node, orderings)
    rank = close_rank(Rank(node, partition, orderings, number, by_time=by_time, span=span_of(over[0].node)))
    visible = Visible("", number.name, ColumnRef(number.name, number.type))
    called = exp.column(number.name, quoted=True)
    renamed = [Item(called, item.name) if item is over[0] else item for item in items]
    return Relation(rank, Scope((*relation.scope.columns, visible))), renamed


def resolve_limit(relation: Relation, query: exp.Expr, orders: list[exp.Ordered] | None = None) -> Relation:
    """Resolves ORDER BY … LIMIT of a query: a Top-N without partitions. LIMIT alone keeps the rows that arrive first."""
    order, limit, offset = (query.args.get(key) for key in ("order", "limit", "offset"))
    if order is None and limit is None and offset is None:
        return relation
    if limit is None:
        raise Mistake(
            "ORDER BY without LIMIT would have to wait for the end of a stream.",
            span_of(order or offset or query),
            "Write LIMIT, or leave the order out.",
        )
    columns = _Columns(relation, "ORDER BY")
    written = orders if orders is not None else order.expressions if order is not None else []
    orderings = tuple(columns.ordering(one) for one in written)
    skipped = int(offset.expression.name) if offset is not None else 0
    last = skipped + int(limit.expression.name)
    node = columns.project()
    # LIMIT 1 without an order keeps the first row that arrives.
    by_time = not orderings and last == 1
    clause = "ORDER BY … LIMIT" if orderings else "LIMIT"
    rank = Rank(node, (), orderings, None, skipped + 1, last, by_time=by_time, clause=clause, span=span_of(limit))
    return Relation(rank, relation.scope)


#: The prefix of columns that a query orders by and does not select.
_HIDDEN = "ORDER$"


def hidden_orders(select: exp.Select, items: list[Item]) -> tuple[list[Item], list[exp.Ordered]]:
    """Returns hidden items for the expressions of ORDER BY that are not selected, and the order by names of columns."""
    order = select.args.get("order")
    names = {item.name for item in items}
    hidden: list[Item] = []
    orders: list[exp.Ordered] = []
    for ordered in order.expressions if order is not None else ():
        wanted = ordered.this
        if isinstance(wanted, exp.Column) and not wanted.table and wanted.name in names:
            orders.append(ordered)
            continue
        name = f"{_HIDDEN}{len(hidden)}"
        hidden.append(Item(_by_number(wanted, items), name))
        reference = exp.column(name, quoted=True)
        if (span := span_of(wanted)) is not None:
            stamp(reference, span.start, span.end)
        orders.append(exp.Ordered(this=reference, desc=ordered.args["desc"], nulls_first=ordered.args["nulls_first"]))
    return hidden, orders


def _by_number(wanted: exp.Expression, items: list[Item]) -> exp.Expression:
    """Replaces a number, as in `ORDER BY 2`, by the selected column that it counts."""
    if not isinstance(wanted, exp.Literal) or wanted.is_string:
        return wanted
    number = int(wanted.name) if wanted.name.isdigit() else 0
    if not 0 < number <= len(items):
        raise Mistake(f"'{wanted.name}' is not the number of a selected column.", span_of(wanted))
    return items[number - 1].node


def without_hidden(relation: Relation, width: int) -> Relation:
    """Removes the columns that only ORDER BY or QUALIFY needed."""
    columns = relation.scope.columns
    if len(columns) == width:
        return relation
    kept = columns[:width]
    fields = tuple(Field(column.ref.name, column.ref.type) for column in kept)
    node = Project(relation.node, fields, tuple(column.ref for column in kept))
    return Relation(node, Scope(kept))


def _by_time(node: Node, orderings: tuple[Ordering, ...]) -> bool:
    return len(orderings) == 1 and is_time(node, orderings[0].column)


def _named(window: exp.Window, windows: list[exp.Window]) -> exp.Window:
    """Returns the window that `OVER w` names, from `WINDOW w AS (…)`."""
    alias = window.args.get("alias")
    if alias is None:
        return window
    for one in windows:
        if one.this.name == alias.name:
            return one
    raise Mistake(f"'{alias.name}' is not a window of this query.", span_of(window), "Define it with WINDOW … AS (…).")


class _Columns:
    """Builds the input of a Rank: the relation's columns, and one more for each expression that is not a column."""

    def __init__(self, relation: Relation, clause: str) -> None:
        self.names = Names()
        for field in relation.node.fields:
            self.names.unique(field.name)
        self._node = relation.node
        self._resolver = ExpressionResolver(relation.scope, clause)
        self._added: dict[Expression, str] = {}

    def name_of(self, node: exp.Expression) -> str:
        expression = self._resolver.resolve(node)
        if isinstance(expression.type, Map | Multiset | Array | Row):
            raise Mistake(f"'{expression}' is of type {expression.type.sql}, which has no order.", span_of(node))
        if isinstance(expression, ColumnRef):
            return expression.name
        if expression not in self._added:
            self._added[expression] = self.names.unique(str(expression))
        return self._added[expression]

    def ordering(self, node: exp.Ordered) -> Ordering:
        descending = bool(node.args.get("desc"))
        nulls = node.args.get("nulls_first")
        return Ordering(self.name_of(node.this), descending, not descending if nulls is None else bool(nulls))

    def project(self) -> Node:
        if not self._added:
            return self._node
        kept = tuple(ColumnRef(field.name, field.type) for field in self._node.fields)
        fields = (*self._node.fields, *(Field(name, one.type) for one, name in self._added.items()))
        return Project(self._node, fields, (*kept, *self._added))
