"""Resolves names: columns, with or without their table, and fields of rows."""

from __future__ import annotations

from sqlglot import exp

from firesteel.plan.expression import Call, Expression, Literal
from firesteel.plan.function.operator import field_type
from firesteel.plan.resolve.expression.call import CallResolver, Resolve, short_text
from firesteel.plan.resolve.mistake import Mistake, suggest
from firesteel.plan.resolve.scope import AmbiguousColumn, UnknownColumn
from firesteel.sql.node import span_of
from firesteel.types import Char, Row

_CONFLUENTS_TIME = "$rowtime"


class UnknownName(Mistake):
    """A name that no table of the query has; a table of an outer query may have it."""

    def __init__(self, mistake: Mistake, name: str, written: str) -> None:
        super().__init__(mistake.problem.message, mistake.problem.span, mistake.problem.hint)
        self.name, self.written = name, written


def _column(resolver: CallResolver, node: exp.Column) -> Expression:
    parts = [part.name for part in node.parts]
    return _path(resolver, parts, node)


def _dot(resolver: CallResolver, node: exp.Dot) -> Expression:
    """Resolves `a.b.c.d.e`, with more dots than sqlglot takes for a column, or a field of an expression, such as `f(x).b`."""
    if isinstance(node.this, exp.Column | exp.Dot) and isinstance(node.expression, exp.Identifier):
        parts: list[str] = []
        inner: exp.Expression = node
        while isinstance(inner, exp.Dot):
            parts.insert(0, inner.expression.name)
            inner = inner.this
        if isinstance(inner, exp.Column):
            return _path(resolver, [*(part.name for part in inner.parts), *parts], node)
    row = resolver.resolve(node.this)
    return _field(resolver, row, node.expression.name, node)


def _path(resolver: CallResolver, parts: list[str], node: exp.Expression) -> Expression:
    if len(parts) > 1 and resolver.scope.has_relation(parts[0]):
        found = _lookup(resolver, parts[1], parts[0], node)
        rest = parts[2:]
    else:
        found = _lookup(resolver, parts[0], None, node)
        rest = parts[1:]
    for name in rest:
        found = _field(resolver, found, name, node)
    return found


def _lookup(resolver: CallResolver, name: str, relation: str | None, node: exp.Expression) -> Expression:
    try:
        return resolver.scope.find(name, relation)
    except UnknownColumn as unknown:
        where = f" in '{relation}'" if relation else ""
        if name == _CONFLUENTS_TIME:
            raise Mistake(
                f"'{name}' is a column that Confluent adds, which is not supported yet.",
                span_of(node),
                "Declare it in the table: event_time TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'.",
            ) from None
        known = f"The columns are {', '.join(dict.fromkeys(unknown.known))}." if unknown.known else None
        problem = Mistake(f"'{name}' is not a column{where}.", span_of(node), suggest(name, unknown.known, known))
        raise UnknownName(problem, name, short_text(node)) from None
    except AmbiguousColumn as ambiguous:
        raise Mistake(
            f"'{name}' is a column of {' and of '.join(repr(one) for one in ambiguous.relations)}.",
            span_of(node),
            f"Say which, for example {ambiguous.relations[0]}.{name}.",
        ) from None


def _field(resolver: CallResolver, row: Expression, name: str, node: exp.Expression) -> Expression:
    found = field_type(row.type, name)
    if found is None:
        fields = [field.name for field in row.type.fields] if isinstance(row.type, Row) else []
        message = (
            f"'{row}' has no field '{name}'." if fields else f"'{row}' is of type {row.type.sql} and has no fields."
        )
        known = f"Its fields are {', '.join(fields)}." if fields else None
        raise Mistake(message, span_of(node), suggest(name, fields, known))
    return Call("FIELD", (row, Literal(name, Char(len(name), nullable=False))), found)


COLUMNS: dict[type[exp.Expression], Resolve] = {exp.Column: _column, exp.Dot: _dot}
