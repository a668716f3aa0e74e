"""A query to plan nodes: FROM, WHERE, GROUP BY, HAVING, SELECT, in the order in which SQL evaluates them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from firesteel.errors import Span
from firesteel.plan.aggregate import AggregateFunction, find_aggregate
from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, Literal
from firesteel.plan.function import ArgumentError
from firesteel.plan.known import Hidden, Known
from firesteel.plan.mistake import Mistake
from firesteel.plan.node import Aggregate, Filter, Node, Project, Union
from firesteel.plan.relation import Names, Relation
from firesteel.plan.resolve_expression import ExpressionResolver, to_type
from firesteel.plan.resolve_table import resolve_table
from firesteel.plan.scope import Scope, Visible, scope_of
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import span_of, table_hints
from firesteel.sql.statement import Name
from firesteel.types import Boolean, DataType, Field

#: Clauses of SELECT that the lowering does not know yet, by their name in sqlglot's tree.
_NOT_YET = {
    "joins": "JOIN",
    "laterals": "LATERAL",
    "windows": "WINDOW",
    "qualify": "QUALIFY",
    "order": "ORDER BY",
    "limit": "LIMIT",
    "offset": "OFFSET",
    "match": "MATCH_RECOGNIZE",
}


#: A view that reads itself twice through others doubles with each of them.
_MOST_TABLES = 200


class QueryResolver:
    """Resolves one query; mistakes that do not hide others are reported to `known`."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._tables = 0

    def resolve(self, query: exp.Expr) -> Relation:
        match query:
            case exp.Select():
                return self._select(query)
            case exp.Union():
                return self._union(query)
            case exp.Subquery():
                return self._subquery(query)
            case exp.Values():
                raise Mistake("VALUES is not supported yet.", span_of(query), "Read from a table.")
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
                raise Mistake("VALUES is not supported yet.", span_of(node), "Read from a table.")
            case _:
                raise Mistake("This kind of table in FROM is not supported yet.", span_of(node))

    def _table(self, node: exp.Table) -> Relation:
        alias = node.alias_or_name
        name = _name(node)
        self._tables += 1
        if self._tables > _MOST_TABLES:
            raise Mistake(
                f"This query reads more than {_MOST_TABLES} tables, its views written out.", name.span, "Split the job."
            )
        view = self.known.view(name)
        if view is not None:
            # A view can only name what stands before it, so it cannot read itself.
            relation = self.resolve(view.query)
            if view.columns and len(view.columns) != len(relation.columns):
                raise Mistake(
                    f"The view '{name.text}' names {len(view.columns)} columns and its query gives {len(relation.columns)}.",
                    name.span,
                )
            relation = relation.renamed(alias, tuple(column.text for column in view.columns))
        else:
            relation = resolve_table(self.known.source(name, table_hints(node)), alias, name.span)
        return self._aliased(relation, node, alias, _alias_columns(node))

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
        if select.args.get("with_") or select.args.get("with"):
            raise Mistake("WITH is not supported yet.", span_of(select), "Write a subquery or a CREATE VIEW.")
        source = select.args.get("from_") or select.args.get("from")
        if source is None:
            raise Mistake("SELECT without FROM is not supported yet.", span_of(select))
        relation = self._from(source.this)
        if where := select.args.get("where"):
            relation = self._where(relation, where)
        items = self._items(select, relation.scope)
        group = select.args.get("group")
        having = select.args.get("having")
        if group or having or any(_has_aggregate(item.node) for item in items):
            relation, resolver = self._group(relation, select, items)
            if having:
                relation = Relation(
                    Filter(relation.node, resolver.condition(having.this), span_of(having)), relation.scope
                )
        else:
            resolver = ExpressionResolver(relation.scope, "SELECT")
        relation = self._project(relation, items, resolver, select)
        if select.args.get("distinct"):
            node = relation.node
            keys = tuple(field.name for field in node.fields)
            relation = Relation(Aggregate(node, keys, node.fields, (), span_of(select)), relation.scope)
        return relation

    def _where(self, relation: Relation, where: exp.Where) -> Relation:
        try:
            condition = ExpressionResolver(relation.scope, "WHERE").condition(where.this)
        except Mistake as mistake:
            # The rest of the query can still be looked at.
            self.known.report(mistake.problem)
            return relation
        return Relation(Filter(relation.node, condition, span_of(where)), relation.scope)

    def _items(self, select: exp.Select, scope: Scope) -> list[Item]:
        """The select list with every star written out."""
        items: list[Item] = []
        for node in select.expressions:
            star = node.this if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else node
            if isinstance(star, exp.Star):
                table = node.table if isinstance(node, exp.Column) else None
                columns = scope.of_relation(table or None)
                if not columns:
                    raise Mistake(f"'{table}' is not a table of this query.", span_of(node))
                for column in columns:
                    reference = exp.column(column.name, table=column.relation or None, quoted=True)
                    items.append(Item(reference, column.name))
            else:
                unaliased = node.unalias()
                name = node.alias_or_name if node.alias or isinstance(unaliased, exp.Column | exp.Dot) else ""
                items.append(Item(unaliased, name))
        return items

    def _project(
        self, relation: Relation, items: list[Item], resolver: ExpressionResolver, select: exp.Select
    ) -> Relation:
        names = Names()
        fields: list[Field] = []
        visible: list[Visible] = []
        expressions: list[Expression] = []
        for position, item in enumerate(items):
            try:
                expression = resolver.resolve(item.node)
            except Mistake as mistake:
                self.known.report(mistake.problem)
                continue
            name = item.name or f"EXPR${position}"
            held = names.unique(name)
            fields.append(Field(held, expression.type))
            visible.append(Visible("", name, ColumnRef(held, expression.type), span_of(item.node)))
            expressions.append(expression)
        if len(fields) < len(items):
            raise Hidden()
        node: Node = Project(relation.node, tuple(fields), tuple(expressions), span_of(select))
        return Relation(node, Scope(tuple(visible)))

    # -- GROUP BY --------------------------------------------------------------------------------------------------

    def _group(self, relation: Relation, select: exp.Select, items: list[Item]) -> tuple[Relation, ExpressionResolver]:
        """An Aggregate over a Project that computes its keys and arguments, and a resolver for what stands above it."""
        group = select.args.get("group")
        written = list(group.expressions) if group else []
        if group and any(group.args.get(key) for key in ("grouping_sets", "cube", "rollup")):
            raise Mistake("GROUPING SETS, CUBE and ROLLUP are not supported yet.", span_of(group))
        below = _Below(ExpressionResolver(relation.scope, "GROUP BY"))
        keys: dict[str, ColumnRef] = {}
        for node in written:
            node = _by_alias(node, items, relation.scope)
            expression = below.resolver.resolve(node)
            ref = below.column(expression)
            keys[ref.name] = ref
        calls = _Calls(ExpressionResolver(relation.scope, "an aggregate"), below)
        # An aggregate needs all of its calls before its columns are known: find them in SELECT and HAVING first.
        having = select.args.get("having")
        for item in items:
            calls.collect(item.node, item.name)
        if having:
            calls.collect(having.this, "")
        input_node = below.project(relation.node)
        fields = (
            *(Field(ref.name, ref.type) for ref in keys.values()),
            *(Field(name, call.type) for name, call in calls.named.items()),
        )
        aggregate = Aggregate(
            input_node, tuple(keys), fields, tuple(calls.named.values()), span_of(group) if group else span_of(select)
        )
        above = _AboveAggregate(relation.scope, below, keys, calls)
        return Relation(aggregate, scope_of("", [(field.name, field.name, field.type) for field in fields])), above

    # -- UNION ALL -------------------------------------------------------------------------------------------------

    def _union(self, union: exp.Union) -> Relation:
        if union.args.get("distinct"):
            raise Mistake(
                "UNION is not supported yet.", span_of(union), "Write UNION ALL, or SELECT DISTINCT around it."
            )
        for key in ("order", "limit"):
            if found := union.args.get(key):
                raise Mistake(f"{_NOT_YET[key]} is not supported yet.", span_of(found))
        sides = [self.resolve(union.this), self.resolve(union.expression)]
        counts = [len(side.columns) for side in sides]
        if counts[0] != counts[1]:
            raise Mistake(
                f"The two sides of UNION ALL have {counts[0]} and {counts[1]} columns.", span_of(union.expression)
            )
        types: list[DataType] = []
        for left, right in zip(sides[0].scope.columns, sides[1].scope.columns, strict=True):
            shared = common_type(left.ref.type, right.ref.type)
            if shared is None:
                raise Mistake(
                    f"'{left.name}' is of type {left.ref.type.sql} on one side of UNION ALL and of type"
                    f" {right.ref.type.sql} on the other.",
                    span_of(union.expression),
                    "CAST one of them.",
                )
            types.append(shared)
        names = Names()
        held = [names.unique(name) for name in sides[0].columns]
        fields = tuple(Field(name, data_type) for name, data_type in zip(held, types, strict=True))
        nodes = tuple(
            Project(
                side.node,
                fields,
                tuple(
                    to_type(column.ref, field.type) for column, field in zip(side.scope.columns, fields, strict=True)
                ),
            )
            for side in sides
        )
        visible = [(name, field.name, field.type) for name, field in zip(sides[0].columns, fields, strict=True)]
        return Relation(Union(nodes, fields, span_of(union)), scope_of("", visible))


@dataclass(frozen=True)
class Item:
    """One item of a select list: its expression and its name, empty where it has none."""

    node: exp.Expression
    name: str


class _Below:
    """The Project under an Aggregate: every key and argument is a column of it, each expression once."""

    def __init__(self, resolver: ExpressionResolver) -> None:
        self.resolver = resolver
        self._names = Names()
        self._columns: dict[Expression, ColumnRef] = {}

    def column(self, expression: Expression) -> ColumnRef:
        if expression not in self._columns:
            self._columns[expression] = ColumnRef(self._names.unique(str(expression)), expression.type)
        return self._columns[expression]

    def find(self, expression: Expression) -> ColumnRef | None:
        return self._columns.get(expression)

    def unique(self, wanted: str) -> str:
        return self._names.unique(wanted)

    def project(self, node: Node) -> Node:
        return Project(
            node,
            tuple(Field(ref.name, ref.type) for ref in self._columns.values()),
            tuple(self._columns),
        )


class _Calls:
    """The aggregate calls of one SELECT: equal ones are computed once."""

    def __init__(self, resolver: ExpressionResolver, below: _Below) -> None:
        self.resolver = resolver
        self.below = below
        self.named: dict[str, AggregateCall] = {}

    def collect(self, node: exp.Expression, wanted: str) -> None:
        if _aggregate_of(node):
            self.name_of(node, wanted)
            return
        for child in node.iter_expressions():
            self.collect(child, "")

    def name_of(self, node: exp.Expression, wanted: str = "") -> str:
        call = self._resolve(node)
        for name, known in self.named.items():
            if known == call:
                return name
        name = self.below.unique(wanted or f"{call.function.lower()}")
        self.named[name] = call
        return name

    def _resolve(self, node: exp.Expression) -> AggregateCall:
        condition = None
        if isinstance(node, exp.Filter):
            written = node.expression.this
            resolved = self.resolver.condition(written)
            condition = self.below.column(resolved)
            node = node.this
        function = _aggregate_of(node)
        assert function is not None
        arguments = list(node.expressions)
        distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
        if distinct:
            arguments = list(arguments[0].expressions)
        if len(arguments) != 1:
            raise Mistake(f"'{function.name}' takes one argument and has {len(arguments)}.", span_of(node))
        if isinstance(arguments[0], exp.Star):
            if function.name != "COUNT" or distinct:
                raise Mistake(f"'{function.name}' does not take '*'.", span_of(node))
            return AggregateCall("COUNT", None, function.result(Boolean()), filter=condition)
        argument = self.resolver.resolve(arguments[0])
        try:
            result = function.result(argument.type)
        except ArgumentError as error:
            raise Mistake(f"'{function.name}' {error}, and has {argument.type.sql}.", span_of(node)) from None
        # A constant argument that is never NULL makes COUNT(1) another COUNT(*).
        if function.name == "COUNT" and not distinct and isinstance(argument, Literal) and argument.value is not None:
            return AggregateCall("COUNT", None, result, filter=condition)
        # MIN and MAX give the same with and without DISTINCT, and without it they need no state for it.
        distinct = distinct and function.name not in ("MIN", "MAX")
        return AggregateCall(function.name, self.below.column(argument), result, distinct, condition)


class _AboveAggregate(ExpressionResolver):
    """Resolves SELECT and HAVING of a grouped query: an aggregate is a column now, and so is each key."""

    def __init__(self, scope: Scope, below: _Below, keys: dict[str, ColumnRef], calls: _Calls) -> None:
        super().__init__(scope, "SELECT")
        self._below = below
        self._keys = keys
        self._calls = calls

    def resolve(self, node: exp.Expression) -> Expression:
        if _aggregate_of(node):
            name = self._calls.name_of(node)
            return ColumnRef(name, self._calls.named[name].type)
        if not _has_aggregate(node):
            key = self._key(node)
            if key is not None:
                return key
            if isinstance(node, exp.Column):
                found = super().resolve(node)
                raise Mistake(
                    f"'{found}' is neither in GROUP BY nor inside an aggregate.",
                    span_of(node),
                    f"Add it to GROUP BY, or write for example MAX({found}).",
                )
        return super().resolve(node)

    def _key(self, node: exp.Expression) -> ColumnRef | None:
        """The key that this expression is, if it is one."""
        try:
            ref = self._below.find(self._below.resolver.resolve(node))
        except Mistake:
            return None
        return ref if ref is not None and ref.name in self._keys else None


def _aggregate_of(node: exp.Expression) -> AggregateFunction | None:
    inner = node.this if isinstance(node, exp.Filter) else node
    return find_aggregate(inner.name) if isinstance(inner, exp.Anonymous) else None


def _has_aggregate(node: exp.Expression) -> bool:
    return _aggregate_of(node) is not None or any(_has_aggregate(child) for child in node.iter_expressions())


def _by_alias(node: exp.Expression, items: list[Item], scope: Scope) -> exp.Expression:
    """GROUP BY takes an alias of the select list where the input has no column of that name."""
    if isinstance(node, exp.Column) and not node.table:
        if any(column.name == node.name for column in scope.columns):
            return node
        for item in items:
            if item.name == node.name and not _has_aggregate(item.node):
                return item.node
    return node


def _name(node: exp.Table) -> Name:
    span = span_of(node.this) or Span(0, 0)
    return Name(node.name, span, tuple(part.name for part in node.parts))


def _alias_columns(node: exp.Expression) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(column.name for column in alias.columns) if alias else ()
