"""Operators: arithmetic, comparisons, logic, patterns, access to elements, constructors of collections."""

from __future__ import annotations

from firesteel.plan.expression import Literal
from firesteel.plan.function.signature import (
    ANY,
    CONDITION,
    TEXT,
    ArgumentError,
    Arguments,
    Function,
    Rule,
    any_nullable,
    common,
    gives,
    to_type,
    varying,
)
from firesteel.plan.function.similar_to import similar_regex
from firesteel.plan.type_rule import arithmetic_type, comparable
from firesteel.types import (
    CHARACTER,
    MAX_LENGTH,
    NUMERIC,
    Array,
    Boolean,
    Char,
    DataType,
    Field,
    Interval,
    Map,
    Null,
    Row,
    Varchar,
)


def arithmetic(operator: str) -> Rule:
    def rule(args: Arguments) -> DataType:
        result = arithmetic_type(operator, args[0].type, args[1].type)
        if result is None:
            raise ArgumentError("takes numbers, or a date or time and an INTERVAL")
        return result

    return rule


def compared(args: Arguments) -> DataType:
    """Returns the type in which all arguments are compared with each other."""
    shared = args[0].type
    for arg in args[1:]:
        wider = comparable(shared, arg.type)
        if wider is None:
            raise ArgumentError("takes values of comparable types")
        shared = wider
    return shared


def _comparison(args: Arguments) -> DataType:
    if comparable(args[0].type, args[1].type) is None:
        raise ArgumentError("takes two values of comparable types")
    return Boolean(nullable=any_nullable(args))


def _membership(args: Arguments) -> DataType:
    compared(args)
    return Boolean(nullable=any_nullable(args))


def _null_safe_comparison(args: Arguments) -> DataType:
    return _comparison(args).not_null()


def _in_one_type(args: Arguments, result: DataType) -> Arguments:
    shared = compared(args)
    return tuple(to_type(arg, shared) for arg in args)


def _test(args: Arguments) -> DataType:
    return Boolean(nullable=False)


def _concatenated(args: Arguments) -> DataType:
    """Returns the type of a concatenation, whose length is the sum of the lengths."""
    lengths = [arg.type.length for arg in args if isinstance(arg.type, CHARACTER)]
    nullable = any_nullable(args)
    if len(lengths) < len(args):
        return Varchar(MAX_LENGTH, nullable=nullable)
    length = min(sum(lengths), MAX_LENGTH)
    if any(isinstance(arg.type, Varchar) for arg in args):
        return Varchar(length, nullable=nullable)
    return Char(length, nullable=nullable)


def _negative(args: Arguments) -> DataType:
    if not isinstance(args[0].type, (Null, *NUMERIC, Interval)):
        raise ArgumentError("takes a number")
    return args[0].type


def _pattern(args: Arguments) -> DataType:
    if len(args) == 3:
        sign = args[2]
        if not isinstance(sign, Literal) or not isinstance(sign.value, str) or len(sign.value) != 1:
            raise ArgumentError("takes a single sign behind ESCAPE")
    return Boolean(nullable=any_nullable(args))


def _similar(args: Arguments) -> DataType:
    texts = [arg.value for arg in args[1:] if isinstance(arg, Literal) and isinstance(arg.value, str)]
    if len(texts) < len(args) - 1:
        raise ArgumentError("takes a pattern that is a literal, for others are not supported yet")
    try:
        similar_regex(texts[0], texts[1] if len(texts) == 2 else None)
    except ValueError:
        raise ArgumentError("takes a pattern of SQL's, which this one is not") from None
    return Boolean(nullable=any_nullable(args))


def _item(args: Arguments) -> DataType:
    match args[0].type, args[1]:
        case Array(element=element), index:
            if isinstance(index, Literal) and isinstance(index.value, int) and index.value < 1:
                raise ArgumentError("takes positions from 1 on")
            return element.with_nullable(True)
        case Map(value=value), _:
            return value.with_nullable(True)
    raise ArgumentError("takes an ARRAY and a position, or a MAP and a key")


def _item_arguments(args: Arguments, result: DataType) -> Arguments:
    held = args[0].type
    return (args[0], to_type(args[1], held.key)) if isinstance(held, Map) else args


def _array(args: Arguments) -> DataType:
    return Array(common(args), nullable=False)


def _array_arguments(args: Arguments, result: DataType) -> Arguments:
    assert isinstance(result, Array)
    return tuple(to_type(arg, result.element) for arg in args)


def _map(args: Arguments) -> DataType:
    if len(args) % 2:
        raise ArgumentError("takes keys and values in turn")
    key = common(args[::2])
    if key.nullable and not isinstance(key, CHARACTER):
        # Maps of Spark and Arrow cannot hold a NULL key; a reserved text replaces it in text keys (`formats/column/null_key.py`).
        raise ArgumentError("takes keys that are never NULL, for others are not supported yet")
    return Map(varying(key) if isinstance(key, CHARACTER) else key, common(args[1::2]), nullable=False)


def _map_arguments(args: Arguments, result: DataType) -> Arguments:
    assert isinstance(result, Map)
    return tuple(to_type(arg, result.value if number % 2 else result.key) for number, arg in enumerate(args))


def _row(args: Arguments) -> DataType:
    return Row(tuple(Field(f"EXPR${number}", arg.type) for number, arg in enumerate(args)), nullable=False)


def field_type(row: DataType, name: str) -> DataType | None:
    """Returns the type of `row.name`; None if there is no such field."""
    if not isinstance(row, Row):
        return None
    found = next((field.type for field in row.fields if field.name == name), None)
    return found.with_nullable(found.nullable or row.nullable) if found else None


_COMPARISONS = tuple(
    Function(sign, (ANY, ANY), _comparison, fit=_in_one_type) for sign in ("=", "<>", "<", "<=", ">", ">=")
)

OPERATORS: tuple[Function, ...] = (
    *(Function(operator, (ANY, ANY), arithmetic(operator)) for operator in ("+", "-", "*", "/", "%")),
    *_COMPARISONS,
    Function("IN", (ANY, ANY), _membership, repeats=True, fit=_in_one_type),
    Function("IS NOT DISTINCT FROM", (ANY, ANY), _null_safe_comparison, fit=_in_one_type),
    Function("AND", (CONDITION, CONDITION), gives(Boolean())),
    Function("OR", (CONDITION, CONDITION), gives(Boolean())),
    Function("NOT", (CONDITION,), gives(Boolean())),
    Function("IS NULL", (ANY,), _test),
    Function("IS TRUE", (CONDITION,), _test),
    Function("IS FALSE", (CONDITION,), _test),
    Function("LIKE", (TEXT, TEXT, TEXT), _pattern, optional=1),
    Function("SIMILAR TO", (TEXT, TEXT, TEXT), _similar, optional=1),
    Function("NEGATIVE", (ANY,), _negative),
    Function("||", (TEXT, TEXT), _concatenated),
    Function("ITEM", (ANY, ANY), _item, fit=_item_arguments),
    Function("ARRAY", (ANY,), _array, repeats=True, fit=_array_arguments),
    Function("MAP", (ANY, ANY), _map, repeats=True, fit=_map_arguments),
)

#: Written (a, b) or ROW(a, b).
ROW_FUNCTION = Function("ROW", (ANY,), _row, repeats=True)
