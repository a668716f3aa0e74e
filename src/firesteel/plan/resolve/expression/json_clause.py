"""Turns the clauses of JSON functions (RETURNING, WRAPPER, ON EMPTY, ON ERROR, ON NULL) into arguments in a fixed order."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from firesteel.plan.expression import Call, Expression, Literal
from firesteel.plan.function.signature import Arguments, to_type
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.sql.node import cast_type, span_of
from firesteel.types import CHARACTER, STRING, Char, DataType, Null

JSON_CALLS = frozenset({"JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_OBJECT", "JSON_ARRAY", "JSON"})

#: The values of each clause; the first is the default.
_REACTIONS = {
    ("JSON_VALUE", "ON_EMPTY"): ("NULL", "ERROR", "DEFAULT"),
    ("JSON_VALUE", "ON_ERROR"): ("NULL", "ERROR", "DEFAULT"),
    ("JSON_QUERY", "ON_EMPTY"): ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT"),
    ("JSON_QUERY", "ON_ERROR"): ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT"),
    ("JSON_QUERY", "WRAPPER"): ("WITHOUT", "CONDITIONAL", "UNCONDITIONAL"),
    ("JSON_EXISTS", "ON_ERROR"): ("FALSE", "TRUE", "UNKNOWN", "ERROR"),
    ("JSON_OBJECT", "ON_NULL"): ("NULL", "ABSENT"),
    ("JSON_ARRAY", "ON_NULL"): ("ABSENT", "NULL"),
}

Resolve = Callable[[exp.Expression], Expression]


def json_arguments(name: str, node: exp.Anonymous, resolve: Resolve) -> Arguments:
    """Resolves the arguments of a JSON function, with its clauses or their defaults behind them."""
    values = [part for part in node.expressions if not isinstance(part, exp.Kwarg)]
    clauses = {part.this.name: part.expression for part in node.expressions if isinstance(part, exp.Kwarg)}
    known = {clause for function, clause in _REACTIONS if function == name}
    if name in ("JSON_VALUE", "JSON_QUERY"):
        known.add("RETURNING")
    unknown = next((clause for clause in clauses if clause not in known), None)
    if unknown is not None:
        raise Mistake(f"'{name}' takes no {unknown.replace('_', ' ')}.", span_of(clauses[unknown]))

    def reaction(clause: str) -> Literal:
        return _reaction(name, clause, clauses.get(clause))

    match name:
        case "JSON":
            raise Mistake("'JSON' stands only within JSON_OBJECT and JSON_ARRAY.", span_of(node))
        case "JSON_ARRAY":
            return (reaction("ON_NULL"), *(_written(value, resolve) for value in values))
        case "JSON_OBJECT":
            pairs = zip(values[::2], values[1::2], strict=True)
            return (
                reaction("ON_NULL"),
                *(one for key, value in pairs for one in (resolve(key), _written(value, resolve))),
            )
    if len(values) != 2:
        raise Mistake(f"'{name}' has {count(len(values), 'argument')} and takes 2.", span_of(node))
    head = (resolve(values[0]), resolve(values[1]))
    if name == "JSON_EXISTS":
        return (*head, reaction("ON_ERROR"))
    returning = cast_type(clauses["RETURNING"]) if "RETURNING" in clauses else STRING
    typed = Literal(None, returning.with_nullable(True))
    if name == "JSON_QUERY":
        return (*head, typed, reaction("WRAPPER"), reaction("ON_EMPTY"), reaction("ON_ERROR"))
    defaults = [_default(clauses.get(clause), returning, resolve) for clause in ("ON_EMPTY", "ON_ERROR")]
    return (*head, typed, reaction("ON_EMPTY"), defaults[0], reaction("ON_ERROR"), defaults[1])


def _reaction(name: str, clause: str, node: exp.Expression | None) -> Literal:
    allowed = _REACTIONS[name, clause]
    word = allowed[0] if node is None else node.name if isinstance(node, exp.Var) else "DEFAULT"
    if word not in allowed:
        written = f"{word} {clause.replace('_', ' ')}"
        raise Mistake(f"'{name}' does not support '{written}'.", span_of(node) if node is not None else None)
    return Literal(word, Char(len(word), nullable=False))


def _default(node: exp.Expression | None, returning: DataType, resolve: Resolve) -> Expression:
    if node is None or isinstance(node, exp.Var):
        return Literal(None, Null())
    value = resolve(node)
    if isinstance(value, Literal) and isinstance(value.value, bool) and isinstance(returning, CHARACTER):
        return Literal(str(value.value).lower(), returning.not_null())
    return to_type(value, returning)


def _written(node: exp.Expression, resolve: Resolve) -> Expression:
    """Resolves a value of JSON_OBJECT or JSON_ARRAY; inside JSON(…) it is JSON already."""
    if isinstance(node, exp.Anonymous) and node.name.upper() == "JSON" and len(node.expressions) == 1:
        return Call("JSON", (resolve(node.expressions[0]),), STRING)
    return resolve(node)
