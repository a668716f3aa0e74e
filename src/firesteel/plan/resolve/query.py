"""Resolves a query to plan nodes: FROM, WHERE, GROUP BY, HAVING, SELECT, in the order in which SQL evaluates them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from firesteel.errors import Span
from firesteel.plan.expression import conjunction
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Aggregate, Filter, Node
from firesteel.plan.resolve.condition import semi_or_anti, written_conjuncts
from firesteel.plan.resolve.expression.column import UnknownName
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.group import has_aggregate, resolve_group
from firesteel.plan.resolve.hint import advise_hints, hinted_ttl
from firesteel.plan.resolve.join.join import absorb_condition, exists_join, in_join, resolve_join, with_ttl
from firesteel.plan.resolve.join.unnest import resolve_unnest
from firesteel.plan.resolve.known import Known, ResolvedView
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.qualify import inside_qualify
from firesteel.plan.resolve.rank import (
    has_window,
    hidden_orders,
    resolve_limit,
    resolve_row_number,
    without_hidden,
)
from firesteel.plan.resolve.scope import Scope
from firesteel.plan.resolve.select_list import Item, project_items, select_items
from firesteel.plan.resolve.table import resolve_table
from firesteel.plan.resolve.union import resolve_union
from firesteel.plan.resolve.values import one_row, resolve_values
from firesteel.plan.resolve.window.closing import close_window
from firesteel.plan.resolve.window.group_window import open_group_window
from firesteel.plan.resolve.window.table_function import resolve_window_table
from firesteel.sql.node import span_of, table_hints
from firesteel.sql.statement import CreateView, Name

#: Clauses of SELECT that are not supported yet, by their names in sqlglot's tree.
_NOT_YET = {
    "laterals": "LATERAL",
    "match": "MATCH_RECOGNIZE",
}


#: Clauses that the query of EXISTS cannot have: they would have to be computed for each outer row.
_BEYOND_EXISTS = frozenset({"group", "having", "limit", "offset", "fetch", "with_", "with", "qualify", "windows"})

#: The greatest depth of views and queries of WITH that read one another.
_MAX_DEPTH = 500

#: The greatest number of tables in a query. Views that each read the one before twice double it at each level.
_MAX_TABLES = 200


class QueryResolver:
    """Resolves one query; mistakes that do not hide others are reported to `known`."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._tables = 0
        #: The current depth of views and queries of WITH, and the greatest so far.
        self._depth = self._deepest = 0
        #: The queries of WITH in scope, with the names of their columns.
        self._named: dict[str, tuple[exp.Expression, tuple[str, ...]]] = {}
        #: The scopes of the outer queries.
        self._outer: tuple[Scope, ...] = ()

    def resolve(self, query: exp.Expr) -> Relation:
        with_ = query.args.get("with_")
        if with_ is None:
            return self._query(query)
        outside = self._named
        for one in with_.expressions:
            self._named = {**self._named, one.alias: (one.this, _alias_columns(one))}
        try:
            return self._query(query)
        finally:
            self._named = outside

    def _query(self, query: exp.Expr) -> Relation:
        match query:
            case exp.Select():
                return self._select(query)
            case exp.Union():
                return resolve_limit(
                    resolve_union(self.resolve(query.this), self.resolve(query.expression), query), query
                )
            case exp.Intersect() | exp.Except():
                name = type(query).__name__.upper()
                raise Mistake(f"{name} is not supported yet.", span_of(query), "Write a join, or WHERE … IN (…).")
            case exp.Subquery():
                return resolve_limit(self._subquery(query), query)
            case _:
                raise Mistake("This kind of query is not supported yet.", span_of(query))

    # -- FROM ------------------------------------------------------------------------------------------------------

    def _from(self, node: exp.Expression) -> Relation:
        match node:
            case exp.Table(this=exp.Identifier()):
                return self._table(node)
            case exp.Subquery():
                return self._subquery(node)
            case exp.Values():
                self._count_tables(1, span_of(node))
                return self._aliased(resolve_values(node), node, node.alias, _alias_columns(node))
            case exp.TableFromRows():
                window = resolve_window_table(node, self._from)
                return self._aliased(window, node, node.alias, _alias_columns(node)) if node.alias else window
            case _:
                raise Mistake("This kind of table in FROM is not supported yet.", span_of(node))

    def _table(self, node: exp.Table) -> Relation:
        alias = node.alias_or_name
        name = _name(node)
        if version := node.args.get("version"):
            raise Mistake(
                "FOR SYSTEM_TIME AS OF is not supported yet.",
                span_of(version),
                "A join without it pairs each row with all matching rows, and is updated when they change.",
            )
        named = self._named.get(node.name) if len(node.parts) == 1 else None
        if named is not None:
            return self._aliased(self._common(named, node), node, alias, _alias_columns(node))
        view = self.known.view(name)
        if view is not None:
            relation = self.resolve_view(view)
            if view.columns and len(view.columns) != len(relation.columns):
                raise Mistake(
                    f"The view '{name.text}' names {len(view.columns)} columns and its query gives {len(relation.columns)}.",
                    name.span,
                )
            relation = relation.renamed(alias, tuple(column.text for column in view.columns))
        else:
            self._count_tables(1, name.span)
            relation = resolve_table(self.known.source(name, table_hints(node)), alias, name.span)
        return self._aliased(relation, node, alias, _alias_columns(node))

    def resolve_view(self, view: CreateView) -> Relation:
        """Resolves a view, once however often it is read. It sees only what is declared before it, and nothing of this query."""
        known = self.known.views.get(view.name.span)
        if known is not None:
            self._count_tables(known.tables, view.name.span)
            self._deepen(known.depth, view.name)
            return known.relation
        named, outer, tables, deepest = self._named, self._outer, self._tables, self._deepest
        self._named, self._outer, self._deepest = {}, (), self._depth
        self._depth = self._deepen(1, view.name)
        try:
            relation = self.resolve(view.query)
        finally:
            depth = self._deepest - self._depth + 1
            self._named, self._outer, self._depth = named, outer, self._depth - 1
            self._deepest = max(self._deepest, deepest)
        self.known.views[view.name.span] = ResolvedView(relation, self._tables - tables, depth)
        return relation

    def _count_tables(self, more: int, span: Span | None) -> None:
        self._tables += more
        if self._tables > _MAX_TABLES:
            raise Mistake(
                f"This query reads more than {_MAX_TABLES} tables, its views written out.", span, "Split the job."
            )

    def _deepen(self, steps: int, name: Name) -> int:
        """Returns the depth that many steps further down; a chain that is too deep is a mistake."""
        depth = self._depth + steps
        if depth > _MAX_DEPTH:
            raise Mistake(
                f"'{name.written}' reads a chain of more than {_MAX_DEPTH} views and queries of WITH.",
                name.span,
                "Split the job.",
            )
        self._deepest = max(self._deepest, depth)
        return depth

    def _common(self, named: tuple[exp.Expression, tuple[str, ...]], node: exp.Table) -> Relation:
        """Resolves a query of WITH, under the names it has there."""
        query, columns = named
        inside = self._named
        # It sees the queries before it, and not itself.
        earlier = list(inside)
        self._named = {name: inside[name] for name in earlier[: earlier.index(node.name)]}
        self._depth = self._deepen(1, _name(node))
        try:
            return self._aliased(self.resolve(query), node, node.name, columns)
        finally:
            self._named = inside
            self._depth -= 1

    def _subquery(self, node: exp.Subquery) -> Relation:
        relation = self.resolve(node.this)
        return self._aliased(relation, node, node.alias, _alias_columns(node))

    def _aliased(self, relation: Relation, node: exp.Expression, alias: str, columns: tuple[str, ...]) -> Relation:
        if columns and len(columns) != len(relation.columns):
            raise Mistake(f"'{alias}' names {len(columns)} columns and has {len(relation.columns)}.", span_of(node))
        return relation.renamed(alias, columns)

    # -- SELECT ----------------------------------------------------------------------------------------------------

    def _select(self, select: exp.Select) -> Relation:
        for key, name in _NOT_YET.items():
            if found := select.args.get(key):
                first = found[0] if isinstance(found, list) else found
                raise Mistake(f"{name} is not supported yet.", span_of(first) or span_of(select))
        self.known.report(*advise_hints(select))
        if select.args.get("qualify"):
            return self._qualified(select)
        relation = self._tables_of(select)
        if where := select.args.get("where"):
            relation = absorb_condition(self._where(relation, where))
        items = select_items(select, relation.scope)
        if window := open_group_window(relation, select):
            relation, select = window.relation, window.rewrite_select(select)
            items = [Item(window.rewrite(item.node), item.name) for item in items]
        group = select.args.get("group")
        having = select.args.get("having")
        numbered = any(has_window(item.node) for item in items)
        if group or having or any(has_aggregate(item.node) for item in items):
            if numbered:
                over = next(item.node for item in items if has_window(item.node))
                raise Mistake("OVER beside GROUP BY is not supported yet.", span_of(over), "Group in a subquery.")
            relation, resolver = resolve_group(relation, select, items, self.known.report)
            relation = Relation(close_window(_kept_for(relation.node, select)), relation.scope)
            if having:
                relation = Relation(
                    Filter(relation.node, resolver.condition(having.this), span_of(having)), relation.scope
                )
        else:
            if numbered:
                relation, items = resolve_row_number(relation, items, select.args.get("windows") or [])
            resolver = ExpressionResolver(relation.scope, "SELECT")
        if not select.args.get("distinct"):
            # ORDER BY may name columns that are not selected.
            width = len(items)
            hidden, orders = hidden_orders(select, items)
            relation = project_items(relation, [*items, *hidden], resolver, self._report, span_of(select))
            return without_hidden(resolve_limit(relation, select, orders), width)
        relation = project_items(relation, items, resolver, self._report, span_of(select))
        node = relation.node
        keys = tuple(field.name for field in node.fields)
        distinct = close_window(_kept_for(Aggregate(node, keys, node.fields, (), span=span_of(select)), select))
        return resolve_limit(Relation(distinct, relation.scope), select)

    def _qualified(self, select: exp.Select) -> Relation:
        """Resolves QUALIFY as a filter around the query without it."""
        inner, condition, hidden = inside_qualify(select)
        if select.args.get("distinct"):
            raise Mistake("QUALIFY beside DISTINCT is not supported yet.", span_of(condition), "Filter in a subquery.")
        relation = self._select(inner)
        width = len(relation.columns) - hidden
        passes = ExpressionResolver(relation.scope, "QUALIFY").condition(condition)
        filtered = Relation(Filter(relation.node, passes, span_of(condition)), relation.scope)
        return resolve_limit(without_hidden(filtered, width), select)

    def _tables_of(self, select: exp.Select) -> Relation:
        source = _source(select)
        if source is None:
            self._count_tables(1, span_of(select))
        relation = self._from(source.this) if source is not None else one_row(select)
        for number, join in enumerate(select.args.get("joins") or ()):
            # The left side of a later join is no table that a hint could name.
            left = hinted_ttl(select, source.this, join=True) if source is not None and number == 0 else None
            relation = with_ttl(self._join(relation, join), left, hinted_ttl(select, join.this, join=True))
        return relation

    def _where(self, relation: Relation, where: exp.Where) -> Relation:
        try:
            plain: list[exp.Expression] = []
            for part in written_conjuncts(where.this):
                kind, asked = semi_or_anti(part)
                if isinstance(asked, exp.In) and asked.args.get("query"):
                    operand = ExpressionResolver(relation.scope, "WHERE").resolve(asked.this)
                    relation = in_join(relation, self._inner_query(relation, asked.args["query"]), operand, kind, part)
                elif isinstance(asked, exp.Exists):
                    relation = self._exists(relation, asked.this, kind, part)
                else:
                    plain.append(part)
            resolver = ExpressionResolver(relation.scope, "WHERE")
            conditions = [resolver.condition(part) for part in plain]
        except Mistake as mistake:
            # The rest of the query can still be checked.
            self._report(mistake)
            return relation
        if not conditions:
            return relation
        return Relation(Filter(relation.node, conjunction(conditions), span_of(where)), relation.scope)

    def _inner_query(self, relation: Relation, query: exp.Expr) -> Relation:
        """Resolves the query of IN over `relation`, whose columns it does not see."""
        outer, self._outer = self._outer, (*self._outer, relation.scope)
        try:
            return self.resolve(query)
        except Mistake as mistake:
            raise self._explain_outer_name(mistake) from None
        finally:
            self._outer = outer

    def _report(self, mistake: Mistake) -> None:
        self.known.report(self._explain_outer_name(mistake).problem)

    def _explain_outer_name(self, mistake: Mistake) -> Mistake:
        """Replaces the mistake of an unknown name, if an outer query has the name."""
        if isinstance(mistake, UnknownName) and any(
            scope.has_relation(mistake.name) or mistake.name in (column.name for column in scope.columns)
            for scope in self._outer
        ):
            return Mistake(
                f"'{mistake.written}' is of the query around this one, which IN cannot use yet.",
                mistake.problem.span,
                "Write EXISTS (SELECT 1 FROM … WHERE … = …).",
            )
        return mistake

    def _exists(self, relation: Relation, query: exp.Expression, kind: JoinKind, part: exp.Expression) -> Relation:
        beyond = any(query.args.get(clause) for clause in _BEYOND_EXISTS)
        if not isinstance(query, exp.Select) or _source(query) is None or beyond:
            raise Mistake(
                "EXISTS over such a query is not supported yet.",
                span_of(part),
                "Write EXISTS (SELECT 1 FROM … WHERE … = …).",
            )
        where = query.args.get("where")
        parts = written_conjuncts(where.this) if where else []
        inner = self._tables_of(query)
        selected = [item.node for item in select_items(query, inner.scope)]
        return exists_join(relation, inner, selected, parts, kind, part)

    def _join(self, left: Relation, join: exp.Join) -> Relation:
        other = join.this
        if isinstance(other, exp.Unnest):
            return resolve_unnest(left, other, join)
        if isinstance(other, exp.Lateral):
            raise Mistake("LATERAL is not supported yet.", span_of(other))
        return resolve_join(left, self._from(other), join)


def _kept_for(node: Node, select: exp.Select) -> Node:
    """Gives an aggregate over one table the time to live that a hint names."""
    source = _source(select)
    if source is None or select.args.get("joins") or not isinstance(node, Aggregate):
        return node
    return replace(node, ttl=hinted_ttl(select, source.this, join=False))


def _source(select: exp.Expression) -> exp.From | None:
    return select.args.get("from_") or select.args.get("from")


def _name(node: exp.Table) -> Name:
    span = span_of(node.this) or Span(0, 0)
    return Name(node.name, span, tuple(part.name for part in node.parts))


def _alias_columns(node: exp.Expression) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(column.name for column in alias.columns) if alias else ()
