"""Resolves joins: two relations under one scope, the equalities that are keys, and the other conditions."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from firesteel.plan.expression import Call, ColumnRef, Expression, column_refs, conjunction, conjuncts
from firesteel.plan.fact.pair_condition import is_pair_condition
from firesteel.plan.function.signature import to_type
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Filter, Join, Node, Project, TimeJoin
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.join.time_join import time_join
from firesteel.plan.resolve.mistake import Mistake, suggest
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import span_of
from firesteel.types import Boolean, Field

_KINDS = {None: JoinKind.INNER, "": JoinKind.INNER} | {
    kind.name: kind for kind in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL)
}

_ONE_SIDED = "Compute each side of a comparison from columns of one table only."


def resolve_join(left: Relation, right: Relation, join: exp.Join) -> Relation:
    """Joins two relations. A join without a condition gets its keys from WHERE (`absorb_condition`)."""
    kind = _KINDS[join.args.get("side")]
    right = _apart(left, right)
    scope = Scope((*left.scope.columns, *right.scope.columns))
    if join.args.get("method") == "NATURAL":
        names = [name for name in dict.fromkeys(left.columns) if name in right.columns]
        return _using(left, right, kind, names, join)
    if using := join.args.get("using"):
        return _using(left, right, kind, [name.name for name in using], join)
    on = join.args.get("on")
    if on is None:
        return _relation(Join(left.node, right.node, kind, (), span_of(join)), scope)
    condition = ExpressionResolver(scope, "ON").condition(on)
    return _relation(_joined(left.node, right.node, kind, conjuncts(condition), join), scope)


def with_ttl(relation: Relation, left: int | None, right: int | None) -> Relation:
    """Gives the join at the top of a relation the times to live of hints, in milliseconds."""
    node = relation.node
    match node:
        case Join():
            node = replace(node, left_ttl=left, right_ttl=right)
        case Filter(input=Join() as join):
            node = replace(node, input=replace(join, left_ttl=left, right_ttl=right))
        case _:
            return relation
    return Relation(node, relation.scope)


def in_join(left: Relation, right: Relation, operand: Expression, kind: JoinKind, node: exp.Expression) -> Relation:
    """Resolves `operand IN (query)` to a semi join, and NOT IN to an anti join."""
    right = _apart(left, right)
    if len(right.scope.columns) != 1:
        raise Mistake(f"The query of IN gives {len(right.scope.columns)} columns and has to give one.", span_of(node))
    found = right.scope.columns[0].ref
    if kind is JoinKind.ANTI and (operand.type.nullable or found.type.nullable):
        raise Mistake(
            "NOT IN over values that may be NULL is not supported yet: one NULL in the query would take all rows away.",
            span_of(node),
            "Write NOT EXISTS (SELECT 1 FROM … WHERE … = …), or declare the columns NOT NULL.",
        )
    pair = _pair(operand, found, node)
    return Relation(Join(left.node, right.node, kind, (pair,), span_of(node)), left.scope)


def exists_join(
    left: Relation,
    right: Relation,
    selected: list[exp.Expression],
    parts: list[exp.Expression],
    kind: JoinKind,
    node: exp.Expression,
) -> Relation:
    """Resolves `EXISTS (SELECT selected FROM right WHERE parts)` to a semi join, and NOT EXISTS to an anti join.

    The selected items have no effect, but are resolved: an aggregate among them would give a row where there is none.
    """
    right = _apart(left, right)
    nearer, relations = set(right.columns), {column.relation for column in right.scope.columns}
    outside = [column for column in (*left.scope.columns, *left.scope.hidden) if column.relation not in relations]
    scope = Scope(
        (*right.scope.columns, *(column for column in outside if column.name not in nearer)),
        (*right.scope.hidden, *(column for column in outside if column.name in nearer)),
    )
    for item in selected:
        ExpressionResolver(scope, "EXISTS").resolve(item)
    resolver = ExpressionResolver(scope, "WHERE")
    conditions = [one for part in parts for one in conjuncts(resolver.condition(part))]
    keys, rest = _split(left.node, right.node, conditions)
    own = [one for one in rest if _of(one, right.node)]
    others = [one for one in rest if not _of(one, right.node)]
    if not keys:
        raise Mistake(
            "EXISTS needs an equality between its query and the query around it.",
            span_of(node),
            "Compare a column of each with '=' in its WHERE.",
        )
    if not all(_is_decided(one, left.node, right.node) for one in others):
        raise Mistake(
            "EXISTS takes conditions that compare a value of its query with a value of the query around it.",
            span_of(node),
            _ONE_SIDED,
        )
    inner = Filter(right.node, conjunction(own), span_of(node)) if own else right.node
    if kind is JoinKind.ANTI:
        timed = time_join(left.node, inner, JoinKind.LEFT, keys, others, span_of(node))
        if timed is not None and timed.window:
            return Relation(_without_partner(timed), left.scope)
    condition = conjunction(others) if others else None
    return Relation(Join(left.node, inner, kind, keys, span_of(node), condition), left.scope)


def _without_partner(join: TimeJoin) -> Node:
    """Makes an anti join of an outer join of windows: rows whose partner is missing when their window closes."""
    end = next(ColumnRef(one.name, one.type) for one in join.fields if one.name == join.right_time)
    alone = Filter(join, Call("IS NULL", (end,), Boolean(nullable=False)), join.span)
    fields = join.left.fields
    return Project(alone, fields, tuple(ColumnRef(one.name, one.type) for one in fields), join.span)


def absorb_condition(relation: Relation) -> Relation:
    """Makes keys of the equalities of WHERE for joins that have none: `FROM a, b WHERE a.x = b.x`."""
    node = relation.node
    if not isinstance(node, Filter):
        return relation
    inner, rest = _absorb(node.input, list(conjuncts(node.condition)))
    if isinstance(inner, Join) and inner.kind is JoinKind.INNER:
        timed = time_join(inner.left, inner.right, inner.kind, inner.keys, rest, inner.span)
        if timed is not None:
            return Relation(timed, relation.scope)
    if not rest:
        return Relation(inner, relation.scope)
    return Relation(replace(node, input=inner, condition=conjunction(rest)), relation.scope)


def _absorb(node: Node, conditions: list[Expression]) -> tuple[Node, list[Expression]]:
    if not isinstance(node, Join) or node.kind is not JoinKind.INNER:
        return node, conditions
    left, conditions = _absorb(node.left, conditions)
    keys, rest = _split(left, node.right, conditions)
    return replace(node, left=left, keys=(*node.keys, *keys)), rest


def _joined(left: Node, right: Node, kind: JoinKind, conditions: tuple[Expression, ...], join: exp.Join) -> Node:
    keys, rest = _split(left, right, list(conditions))
    timed = time_join(left, right, kind, keys, rest, span_of(join))
    if timed is not None:
        return timed
    if kind is not JoinKind.INNER:
        # A condition on the padded side alone is a filter of that side; any other is checked for each pair.
        sides = {JoinKind.LEFT: (None, right), JoinKind.RIGHT: (left, None)}.get(kind, (None, None))
        own = [one for one in rest if any(side is not None and _of(one, side) for side in sides)]
        others = [one for one in rest if one not in own]
        if not all(_is_decided(one, left, right) for one in others):
            raise Mistake(
                f"A {kind.name} JOIN takes conditions that compare a value of one side with a value of the other.",
                span_of(join.args["on"]),
                _ONE_SIDED,
            )
        if own and kind is JoinKind.LEFT:
            right = Filter(right, conjunction(own), span_of(join.args["on"]))
        elif own:
            left = Filter(left, conjunction(own), span_of(join.args["on"]))
        return Join(left, right, kind, keys, span_of(join), conjunction(others) if others else None)
    node = Join(left, right, kind, keys, span_of(join))
    return Filter(node, conjunction(rest), span_of(join.args["on"])) if rest else node


def _split(
    left: Node, right: Node, conditions: list[Expression]
) -> tuple[tuple[tuple[Expression, Expression], ...], list[Expression]]:
    """Separates the equalities between the two sides from the other conditions."""
    keys: list[tuple[Expression, Expression]] = []
    rest: list[Expression] = []
    for one in conditions:
        if isinstance(one, Call) and one.function == "=":
            a, b = one.args
            if _of(a, left) and _of(b, right):
                keys.append((a, b))
                continue
            if _of(a, right) and _of(b, left):
                keys.append((b, a))
                continue
        rest.append(one)
    return tuple(keys), rest


def _is_decided(condition: Expression, left: Node, right: Node) -> bool:
    names = [frozenset(field.name for field in side.fields) for side in (left, right)]
    return is_pair_condition(condition, names[0], names[1])


def _of(expression: Expression, node: Node) -> bool:
    """Says whether the expression reads columns, all of them that node's."""
    names = {field.name for field in node.fields}
    read = {ref.name for ref in column_refs(expression)}
    return bool(read) and read <= names


def _using(left: Relation, right: Relation, kind: JoinKind, names: list[str], join: exp.Join) -> Relation:
    keys = []
    merged: list[Visible] = []
    for name in names:
        pair = []
        for side in (left, right):
            found = [column for column in side.scope.columns if column.name == name]
            if len(found) != 1:
                raise Mistake(
                    f"'{name}' is not a column of both sides of the join.", span_of(join), suggest(name, side.columns)
                )
            pair.append(found[0])
        keys.append(_pair(pair[0].ref, pair[1].ref, join))
        kept = pair[1] if kind is JoinKind.RIGHT else pair[0]
        merged.append(Visible("", name, kept.ref))
    if not keys:
        raise Mistake("The two sides of the join have no column in common.", span_of(join))
    if kind is JoinKind.FULL:
        raise Mistake("A FULL JOIN with USING is not supported yet.", span_of(join), "Write ON.")
    others = [column for side in (left, right) for column in side.scope.columns if column.name not in names]
    # The columns of each side can still be named with their table.
    hidden = [column for side in (left, right) for column in side.scope.columns if column.name in names]
    scope = Scope((*merged, *others), tuple(hidden))
    return _relation(Join(left.node, right.node, kind, tuple(keys), span_of(join)), scope)


def _pair(left: Expression, right: Expression, node: exp.Expression) -> tuple[Expression, Expression]:
    shared = common_type(left.type, right.type)
    if shared is None:
        raise Mistake(
            f"'{left}' is of type {left.type.sql} and '{right}' of type {right.type.sql}: they cannot be compared.",
            span_of(node),
            "CAST one of them.",
        )
    shared = shared.with_nullable(True)
    return to_type(left, shared), to_type(right, shared)


def _apart(left: Relation, right: Relation) -> Relation:
    """Renames the columns of the right side whose names the left side has too."""
    names = Names()
    for field in left.node.fields:
        names.unique(field.name)
    renamed = {field.name: names.unique(field.name) for field in right.node.fields}
    if all(old == new for old, new in renamed.items()):
        return right
    fields = tuple(Field(renamed[field.name], field.type) for field in right.node.fields)
    node = Project(right.node, fields, tuple(ColumnRef(field.name, field.type) for field in right.node.fields))
    columns = tuple(
        replace(column, ref=ColumnRef(renamed[column.ref.name], column.ref.type)) for column in right.scope.columns
    )
    return Relation(node, Scope(columns))


def _relation(node: Node, scope: Scope) -> Relation:
    """Gives the columns of the scope their types in the join: those of a padded side are nullable."""
    types = {field.name: field.type for field in node.fields}

    def typed(column: Visible) -> Visible:
        return replace(column, ref=ColumnRef(column.ref.name, types[column.ref.name]))

    return Relation(node, Scope(tuple(map(typed, scope.columns)), tuple(map(typed, scope.hidden))))


def is_true(node: exp.Expression | None) -> bool:
    """Says whether the condition is TRUE."""
    return isinstance(node, exp.Boolean) and bool(node.this)
