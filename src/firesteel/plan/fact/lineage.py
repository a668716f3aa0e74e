"""Derives the columns of a sink from the columns of the sources, through every expression and aggregate between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, column_refs, substitute
from firesteel.plan.function.table import as_written
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    TimeJoin,
    Union,
    Unnest,
    Values,
    Watermark,
    Window,
    WindowAggregate,
)
from firesteel.types import Null


class Derivation(Enum):
    """The way in which a column is computed from its origins."""

    COPY = "copy"
    EXPRESSION = "expression"
    AGGREGATE = "aggregate"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Origin:
    """A column of a source."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class Lineage:
    """`text` is the column's expression in terms of the sources' columns; `origins` are those it is computed from."""

    column: str
    derivation: Derivation
    origins: tuple[Origin, ...]
    text: str


@dataclass(frozen=True)
class _Derived:
    expression: Expression
    origins: tuple[Origin, ...]
    derivation: Derivation


#: Longer expressions are cut: a generated script can hold one of a megabyte.
_LONGEST = 200


def column_lineage(sink: Sink) -> tuple[Lineage, ...]:
    """Returns the lineage of each column of the sink, in the sink's order."""
    derived = _columns(sink)
    return tuple(_lineage(field.name, derived.get(field.name)) for field in sink.fields)


def condition_origins(node: Node) -> tuple[Origin, ...]:
    """Returns the source columns that select and group rows: those of WHERE, ON, HAVING, GROUP BY, PARTITION BY and ORDER BY."""
    found: list[Origin] = []
    for child in node.inputs:
        found += condition_origins(child)
    match node:
        case Filter(condition=condition):
            found += _origins(condition, _columns(node.input))
        case Aggregate(keys=keys) | WindowAggregate(keys=keys):
            columns = _columns(node.input)
            found += [origin for key in keys if key in columns for origin in columns[key].origins]
        case Join() | TimeJoin():
            columns = {**_columns(node.left), **_columns(node.right)}
            for expression in node.expressions:
                found += _origins(expression, columns)
            if isinstance(node, TimeJoin):
                for name in (node.left_time, node.right_time):
                    found += columns[name].origins if name in columns else ()
        case Rank(partition=partition, order=order):
            columns = _columns(node.input)
            names = [*partition, *(column.column for column in order)]
            found += [origin for name in names if name in columns for origin in columns[name].origins]
        case (
            Scan()
            | Values()
            | Normalize()
            | Project()
            | Union()
            | Unnest()
            | Watermark()
            | Window()
            | Sink()
            | Materialize()
        ):
            pass
        case _:
            assert_never(node)
    return _unique(found)


def _lineage(name: str, derived: _Derived | None) -> Lineage:
    if derived is None:
        return Lineage(name, Derivation.EXPRESSION, (), name)
    return Lineage(name, derived.derivation, derived.origins, _cut(str(derived.expression)))


def _columns(node: Node) -> Mapping[str, _Derived]:
    """Derives every column of a node from the columns of the sources."""
    match node:
        case Scan(table=table, fields=fields):
            return {
                field.name: _Derived(
                    ColumnRef(field.name, field.type), (Origin(table.name, field.name),), Derivation.COPY
                )
                for field in fields
            }
        case Values(fields=fields):
            return {
                field.name: _Derived(ColumnRef(field.name, field.type), (), Derivation.EXPRESSION) for field in fields
            }
        case Project(fields=fields, expressions=expressions):
            inner = _columns(node.input)
            return {
                field.name: _expression(expression, inner)
                for field, expression in zip(fields, expressions, strict=True)
            }
        case Window():
            return _window_columns(node)
        case Aggregate(keys=keys, fields=fields, calls=calls) | WindowAggregate(keys=keys, fields=fields, calls=calls):
            inner = _columns(node.input)
            outer = {key: inner[key] for key in keys if key in inner}
            for field, call in zip(fields[len(keys) :], calls, strict=True):
                outer[field.name] = _call(call, inner)
            return outer
        case Union():
            return _union_columns(node)
        case Unnest(collection=collection, elements=elements):
            inner = _columns(node.input)
            return {**inner, **{field.name: _expression(collection, inner) for field in elements}}
        case Rank():
            return _rank_columns(node)
        case Filter() | Join() | TimeJoin() | Sink() | Normalize() | Watermark() | Materialize():
            # The columns of the inputs, under their names.
            known: dict[str, _Derived] = {}
            for child in node.inputs:
                known.update(_columns(child))
            return {field.name: known[field.name] for field in node.fields if field.name in known}
        case _:
            assert_never(node)


def _window_columns(window: Window) -> Mapping[str, _Derived]:
    """Derives the columns of the input, and start, end and time of the window from the event time."""
    inner = _columns(window.input)
    origins = inner[window.time].origins if window.time in inner else ()
    added = {
        field.name: _Derived(
            ColumnRef(f"{field.name} of {window.assigner}", field.type), origins, Derivation.EXPRESSION
        )
        for field in window.fields[-3:]
    }
    return {**inner, **added}


def _union_columns(union: Union) -> Mapping[str, _Derived]:
    """Derives each column from the columns of all inputs at its index."""
    sides = [(child.fields, _columns(child)) for child in union.inputs]
    return {
        field.name: _merged(
            [columns[fields[index].name] for fields, columns in sides if fields[index].name in columns], field.name
        )
        for index, field in enumerate(union.fields)
    }


def _rank_columns(rank: Rank) -> Mapping[str, _Derived]:
    """Derives the columns of the input, and the row's number from the columns of PARTITION BY and ORDER BY."""
    inner, number = _columns(rank.input), rank.number
    if number is None:
        return inner
    names = [*rank.partition, *(column.column for column in rank.order)]
    origins = _unique(origin for name in names if name in inner for origin in inner[name].origins)
    text = ColumnRef("ROW_NUMBER()", number.type)
    return {**inner, number.name: _Derived(text, origins, Derivation.AGGREGATE)}


def _expression(expression: Expression, inner: Mapping[str, _Derived]) -> _Derived:
    if isinstance(expression, ColumnRef) and expression.name in inner:
        return inner[expression.name]
    refs = [inner[ref.name] for ref in column_refs(expression) if ref.name in inner]
    origins = _unique(origin for ref in refs for origin in ref.origins)
    if any(ref.derivation is Derivation.AGGREGATE for ref in refs):
        derivation = Derivation.AGGREGATE
    else:
        derivation = Derivation.EXPRESSION if refs else Derivation.CONSTANT

    def swap(part: Expression) -> Expression | None:
        return inner[part.name].expression if isinstance(part, ColumnRef) and part.name in inner else None

    return _Derived(_bounded(substitute(as_written(expression), swap)), origins, derivation)


def _call(call: AggregateCall, inner: Mapping[str, _Derived]) -> _Derived:
    refs = [inner[ref.name] for ref in (call.argument, call.filter) if ref is not None and ref.name in inner]

    def shown(ref: ColumnRef | None) -> ColumnRef | None:
        if ref is None or ref.name not in inner:
            return ref
        return ColumnRef(str(inner[ref.name].expression), ref.type)

    text = str(AggregateCall(call.function, shown(call.argument), call.type, call.distinct, shown(call.filter)))
    origins = _unique(origin for ref in refs for origin in ref.origins)
    return _Derived(ColumnRef(_cut(text), call.type), origins, Derivation.AGGREGATE)


def _merged(sides: list[_Derived], name: str) -> _Derived:
    """Derives a column of UNION ALL from the columns of its sides."""
    if not sides:
        return _Derived(ColumnRef(name, Null()), (), Derivation.EXPRESSION)
    texts = list(dict.fromkeys(str(side.expression) for side in sides))
    kinds = {side.derivation for side in sides}
    kind = next(iter(kinds)) if len(kinds) == 1 else Derivation.EXPRESSION
    first = sides[0].expression
    expression = first if len(texts) == 1 else ColumnRef(_cut(" | ".join(texts)), first.type)
    return _Derived(expression, _unique(origin for side in sides for origin in side.origins), kind)


def _origins(expression: Expression, inner: Mapping[str, _Derived]) -> tuple[Origin, ...]:
    return _unique(origin for ref in column_refs(expression) if ref.name in inner for origin in inner[ref.name].origins)


def _unique(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    return tuple(dict.fromkeys(origins))


def readable_columns(node: Node) -> dict[str, str]:
    """Renders each column of a node as people would write it, by its name in the plan."""
    return {name: _cut(str(derived.expression)) for name, derived in _columns(node).items()}


def qualified_columns(node: Node) -> dict[str, str]:
    """Renders each column as `readable_columns` does, with its table before it, for joins: 'a.id = b.id'."""
    return {name: _cut(str(_with_tables(derived))) for name, derived in _columns(node).items()}


def _with_tables(derived: _Derived) -> Expression:
    tables: dict[str, set[str]] = {}
    for origin in derived.origins:
        tables.setdefault(origin.column, set()).add(origin.table)

    def swap(part: Expression) -> Expression | None:
        if not isinstance(part, ColumnRef) or len(tables.get(part.name, ())) != 1:
            return None
        return ColumnRef(f"{next(iter(tables[part.name]))}.{part.name}", part.type)

    return substitute(derived.expression, swap)


def _bounded(expression: Expression) -> Expression:
    # A query over a query that doubles a column doubles its expression at each level.
    text = str(expression)
    return expression if len(text) <= _LONGEST else ColumnRef(_cut(text), expression.type)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
