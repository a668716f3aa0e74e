"""Where the columns of a sink come from: through every expression and aggregate back to the columns of the sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, column_refs, substitute
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
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
    """How a column is made of the columns it comes from."""

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
    """One for each column of the sink, in its order."""
    derived = _columns(sink)
    return tuple(_lineage(field.name, derived.get(field.name)) for field in sink.fields)


def condition_origins(node: Node) -> tuple[Origin, ...]:
    """The source columns that decide which rows there are, and in which group: those of WHERE, ON, HAVING and GROUP BY."""
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
        case Scan() | Values() | Normalize() | Project() | Union() | Unnest() | Watermark() | Window() | Sink():
            pass
        case _:
            assert_never(node)
    return _unique(found)


def _lineage(name: str, derived: _Derived | None) -> Lineage:
    if derived is None:
        return Lineage(name, Derivation.EXPRESSION, (), name)
    return Lineage(name, derived.derivation, derived.origins, _cut(str(derived.expression)))


def _columns(node: Node) -> Mapping[str, _Derived]:
    """Every column of a node, in terms of the sources."""
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
        case Window(time=time, assigner=assigner):
            inner = _columns(node.input)
            origins = inner[time].origins if time in inner else ()
            return {
                **inner,
                **{
                    field.name: _Derived(
                        ColumnRef(f"{field.name} of {assigner}", field.type), origins, Derivation.EXPRESSION
                    )
                    for field in node.fields[-3:]
                },
            }
        case Aggregate(keys=keys, fields=fields, calls=calls) | WindowAggregate(keys=keys, fields=fields, calls=calls):
            inner = _columns(node.input)
            outer = {key: inner[key] for key in keys if key in inner}
            for field, call in zip(fields[len(keys) :], calls, strict=True):
                outer[field.name] = _call(call, inner)
            return outer
        case Union(fields=fields, inputs=inputs):
            sides = [_columns(child) for child in inputs]
            return {
                field.name: _merged(
                    [
                        side[child.fields[position].name]
                        for side, child in zip(sides, inputs, strict=True)
                        if child.fields[position].name in side
                    ],
                    field.name,
                )
                for position, field in enumerate(fields)
            }
        case Unnest(collection=collection, elements=elements):
            inner = dict(_columns(node.input))
            return inner | {field.name: _expression(collection, inner) for field in elements}
        case Rank():
            inner = dict(_columns(node.input))
            number = node.number
            if number is None:
                return inner
            names = [*node.partition, *(column.column for column in node.order)]
            origins = _unique(origin for name in names if name in inner for origin in inner[name].origins)
            text = ColumnRef("ROW_NUMBER()", number.type)
            return inner | {number.name: _Derived(text, origins, Derivation.AGGREGATE)}
        case Filter() | Join() | TimeJoin() | Sink() | Normalize() | Watermark():
            # The columns of the inputs, under their names.
            known: dict[str, _Derived] = {}
            for child in node.inputs:
                known.update(_columns(child))
            return {field.name: known[field.name] for field in node.fields if field.name in known}
        case _:
            assert_never(node)


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

    return _Derived(_bounded(substitute(expression, swap)), origins, derivation)


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
    """A column of UNION ALL: of either side."""
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
    """The columns of a node as people would write them, by the names that the plan has for them."""
    return {name: _cut(str(derived.expression)) for name, derived in _columns(node).items()}


def told_columns(node: Node) -> dict[str, str]:
    """The same with the table of each column, for where two tables meet: 'a.id = b.id'."""
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
