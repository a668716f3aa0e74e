"""Resolves GROUP BY: the Project below an aggregate, its calls, and SELECT and HAVING above it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from sqlglot import exp

from firesteel.errors import Problem, Severity
from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, Literal
from firesteel.plan.function.aggregate import AggregateFunction, find_aggregate
from firesteel.plan.function.table import ArgumentError
from firesteel.plan.node.relation import Aggregate, Node, Project
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.grouping_set import GroupingSets, find_sets
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, scope_of
from firesteel.plan.resolve.select_list import Item
from firesteel.sql.node import span_of
from firesteel.types import BigInt, Boolean, Field, Int


def resolve_group(
    relation: Relation, select: exp.Select, items: list[Item], report: Callable[[Problem], None]
) -> tuple[Relation, ExpressionResolver]:
    """Makes an Aggregate over a Project of its keys and arguments, and a resolver for SELECT and HAVING above it.

    Warnings are given to `report`.
    """
    group = select.args.get("group")
    written = list(group.expressions) if group else []
    sets = find_sets(written)
    below = _Below(ExpressionResolver(relation.scope, "GROUP BY"))
    keys: dict[str, ColumnRef] = {}
    names: dict[int, str] = {}
    # Equal nodes at two places are two nodes.
    for node in {id(one): one for one in chain.from_iterable(sets)}.values():
        meant = _by_alias(node, items, relation.scope)
        if meant is not node:
            report(
                Problem(
                    f"'{node.name}' in GROUP BY is a name that SELECT gives, which Flink refuses.",
                    span_of(node),
                    "Write the expression itself, so that the script runs on Flink too.",
                    Severity.WARNING,
                )
            )
        ref = below.column(below.resolver.resolve(meant))
        keys[ref.name] = ref
        names[id(node)] = ref.name
    calls = _Calls(ExpressionResolver(relation.scope, "an aggregate"), below)
    # An aggregate needs all of its calls before its columns are known: find them in SELECT and HAVING first.
    having = select.args.get("having")
    for item in items:
        calls.collect(item.node, item.name)
    if having:
        calls.collect(having.this, "")
    input_node = below.project(relation.node)
    grouping = None
    if len(sets) > 1:
        number = ColumnRef(below.unique("$grouping_set"), Int(nullable=False))
        grouping = GroupingSets(tuple(frozenset(names[id(one)] for one in members) for members in sets), number)
        input_node, keys = grouping.spread(input_node, keys, below.unique)
    grouped = [*keys.values(), *([grouping.number] if grouping is not None else [])]
    fields = (
        *(Field(ref.name, ref.type) for ref in grouped),
        *(Field(name, call.type) for name, call in calls.named.items()),
    )
    aggregate = Aggregate(
        input_node,
        tuple(ref.name for ref in grouped),
        fields,
        tuple(calls.named.values()),
        span=span_of(group) if group else span_of(select),
    )
    above = _AboveAggregate(relation.scope, below, keys, calls, grouping)
    return Relation(aggregate, scope_of("", [(field.name, field.name, field.type) for field in fields])), above


class _Below:
    """Builds the Project below an Aggregate: each distinct key and argument is one column."""

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
    """Collects the aggregate calls of one SELECT: equal calls are computed once."""

    def __init__(self, resolver: ExpressionResolver, below: _Below) -> None:
        self.resolver = resolver
        self.below = below
        self.named: dict[str, AggregateCall] = {}
        self._names: dict[AggregateCall, str] = {}

    def collect(self, node: exp.Expression, wanted: str) -> None:
        if isinstance(node, exp.Query):
            return
        if _aggregate_of(node):
            self.name_of(node, wanted)
            return
        for child in node.iter_expressions():
            self.collect(child, "")

    def name_of(self, node: exp.Expression, wanted: str = "") -> str:
        call = self._resolve(node)
        known = self._names.get(call)
        if known is not None:
            return known
        name = self.below.unique(wanted or f"{call.function.lower()}")
        self.named[name] = call
        self._names[call] = name
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
        separator = None
        if function.name == "LISTAGG":
            separator = ","
            if len(arguments) == 2:
                separator = self._separator(arguments.pop())
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
        name = _SYNONYMS.get(function.name, function.name)
        return AggregateCall(name, self.below.column(argument), result, distinct, condition, separator)

    def _separator(self, node: exp.Expression) -> str:
        found = self.resolver.resolve(node)
        if not isinstance(found, Literal) or not isinstance(found.value, str):
            raise Mistake("The separator of 'LISTAGG' has to be a text.", span_of(node), "Write it in single quotes.")
        return found.value


class _AboveAggregate(ExpressionResolver):
    """Resolves SELECT and HAVING of a grouped query, where each key and each aggregate call is a column."""

    def __init__(
        self, scope: Scope, below: _Below, keys: dict[str, ColumnRef], calls: _Calls, grouping: GroupingSets | None
    ) -> None:
        """Takes the columns of the `keys` in the aggregate, by their names below it."""
        super().__init__(scope, "SELECT")
        self._below = below
        self._keys = keys
        self._calls = calls
        self._grouping = grouping

    def resolve(self, node: exp.Expression) -> Expression:
        if isinstance(node, exp.Anonymous) and node.name in _GROUPING:
            return self._bits(node)
        if _aggregate_of(node):
            name = self._calls.name_of(node)
            return ColumnRef(name, self._calls.named[name].type)
        if not has_aggregate(node):
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
        """Finds the key that equals this expression; None if there is none."""
        try:
            ref = self._below.find(self._below.resolver.resolve(node))
        except Mistake:
            return None
        return self._keys.get(ref.name) if ref is not None else None

    def _bits(self, node: exp.Anonymous) -> Expression:
        """Resolves GROUPING and GROUPING_ID of keys."""
        names = []
        for argument in node.expressions:
            ref = self._below.find(self._below.resolver.resolve(argument))
            if ref is None or ref.name not in self._keys:
                raise Mistake(f"'{node.name}' takes what stands in GROUP BY.", span_of(argument), "Add it to GROUP BY.")
            names.append(ref.name)
        if not names or (node.name == "GROUPING" and len(names) > 1):
            raise Mistake(
                f"'{node.name}' takes {'one key' if node.name == 'GROUPING' else 'keys'} of GROUP BY.", span_of(node)
            )
        if self._grouping is None:
            return Literal(0, BigInt(nullable=False))
        return self._grouping.grouping(names)


_GROUPING = ("GROUPING", "GROUPING_ID")


_SYNONYMS = {"STDDEV": "STDDEV_SAMP", "VARIANCE": "VAR_SAMP"}


def _aggregate_of(node: exp.Expression) -> AggregateFunction | None:
    inner = node.this if isinstance(node, exp.Filter) else node
    return find_aggregate(inner.name) if isinstance(inner, exp.Anonymous) else None


def has_aggregate(node: exp.Expression) -> bool:
    # A function with OVER is no aggregate, and a subquery has aggregates of its own.
    if isinstance(node, exp.Window | exp.Query):
        return False
    return _aggregate_of(node) is not None or any(has_aggregate(child) for child in node.iter_expressions())


def _by_alias(node: exp.Expression, items: list[Item], scope: Scope) -> exp.Expression:
    """Replaces an alias of the select list by its expression, if the input has no column of that name."""
    if isinstance(node, exp.Column) and not node.table:
        if any(column.name == node.name for column in scope.columns):
            return node
        for item in items:
            if item.name == node.name and not has_aggregate(item.node):
                return item.node
    return node
