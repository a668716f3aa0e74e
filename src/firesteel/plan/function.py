"""The scalar functions: how many arguments, of which kinds, and the type of the result. One row each.

`spark/function.py` holds the other half of each row: how Spark computes it. A test sees to it that the two agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.plan.type_rule import arithmetic_type, common_type, comparable
from firesteel.types import (
    CHARACTER,
    MAX_LENGTH,
    NUMERIC,
    Array,
    Boolean,
    Char,
    DataType,
    Decimal,
    Field,
    Int,
    Interval,
    Map,
    Multiset,
    Null,
    Row,
    Varchar,
)

Types = tuple[DataType, ...]


class ArgumentError(ValueError):
    """The arguments do not fit the function; the text says what it takes."""


@dataclass(frozen=True)
class Function:
    """`most` is None where the function takes any number of arguments."""

    name: str
    least: int
    most: int | None
    result: Callable[[Types], DataType]


def any_nullable(types: Types) -> bool:
    return any(data_type.nullable for data_type in types)


def _is(data_type: DataType, *families: type[DataType]) -> bool:
    return isinstance(data_type, (Null, *families))


def _fixed(result: DataType, *families: type[DataType], takes: str) -> Callable[[Types], DataType]:
    """Every argument is of one of the families; the result has a fixed type and is NULL when an argument is."""

    def rule(types: Types) -> DataType:
        if families and not all(_is(data_type, *families) for data_type in types):
            raise ArgumentError(takes)
        return result.with_nullable(any_nullable(types))

    return rule


def _text(types: Types) -> DataType:
    if not all(_is(data_type, *CHARACTER) for data_type in types):
        raise ArgumentError("takes text")
    return Varchar(MAX_LENGTH, nullable=any_nullable(types))


def _substring(types: Types) -> DataType:
    if not _is(types[0], *CHARACTER) or not all(_is(position, *NUMERIC) for position in types[1:]):
        raise ArgumentError("takes text, a start and, if wanted, a length")
    return Varchar(MAX_LENGTH, nullable=any_nullable(types))


def _arithmetic(operator: str) -> Callable[[Types], DataType]:
    def rule(types: Types) -> DataType:
        result = arithmetic_type(operator, *types)
        if result is None:
            raise ArgumentError("takes numbers, or a date or time and an INTERVAL")
        return result

    return rule


def _comparison(types: Types) -> DataType:
    if comparable(*types) is None:
        raise ArgumentError("takes two values of comparable types")
    return Boolean(nullable=any_nullable(types))


def _membership(types: Types) -> DataType:
    shared_type(types)
    return Boolean(nullable=any_nullable(types))


def shared_type(types: Types) -> DataType:
    """The type in which all of these are compared with each other."""
    shared = types[0]
    for data_type in types[1:]:
        wider = comparable(shared, data_type)
        if wider is None:
            raise ArgumentError("takes values of comparable types")
        shared = wider
    return shared


def _null_safe_comparison(types: Types) -> DataType:
    return _comparison(types).not_null()


def _null_test(types: Types) -> DataType:
    return Boolean(nullable=False)


def _common(types: Types) -> DataType:
    result = types[0]
    for data_type in types[1:]:
        wider = common_type(result, data_type)
        if wider is None:
            raise ArgumentError("takes values of one type")
        result = wider
    return result


def _coalesce(types: Types) -> DataType:
    return _common(types).with_nullable(all(data_type.nullable for data_type in types))


def _nullif(types: Types) -> DataType:
    _comparison(types)
    return types[0].with_nullable(True)


def _number(types: Types) -> DataType:
    if not _is(types[0], *NUMERIC):
        raise ArgumentError("takes a number")
    return types[0]


def _negative(types: Types) -> DataType:
    if not _is(types[0], *NUMERIC, Interval):
        raise ArgumentError("takes a number")
    return types[0]


def _whole(types: Types) -> DataType:
    """FLOOR and CEIL keep the type, except that a DECIMAL loses what stands behind its point."""
    number = _number(types)
    if isinstance(number, Decimal):
        return Decimal(number.precision, 0, nullable=number.nullable)
    return number


def _element(types: Types) -> DataType:
    match types:
        case (Array(element=element), _):
            return element.with_nullable(True)
        case (Map(value=value), _):
            return value.with_nullable(True)
    raise ArgumentError("takes an ARRAY and a position, or a MAP and a key")


def _cardinality(types: Types) -> DataType:
    if not _is(types[0], Array, Map, Multiset):
        raise ArgumentError("takes an ARRAY, a MAP or a MULTISET")
    return Int(nullable=types[0].nullable)


def _array(types: Types) -> DataType:
    return Array(_common(types), nullable=False)


def _map(types: Types) -> DataType:
    if len(types) % 2:
        raise ArgumentError("takes keys and values in turn")
    if any_nullable(types[::2]):
        # Neither Spark's maps nor Arrow's can hold one.
        raise ArgumentError("takes keys that are never NULL, for others are not supported yet")
    return Map(_common(types[::2]), _common(types[1::2]), nullable=False)


def _row(types: Types) -> DataType:
    return Row(tuple(Field(f"EXPR${number}", data_type) for number, data_type in enumerate(types)), nullable=False)


def field_type(row: DataType, name: str) -> DataType | None:
    """The type of `row.name`; None: there is no such field."""
    if not isinstance(row, Row):
        return None
    found = next((field.type for field in row.fields if field.name == name), None)
    return found.with_nullable(found.nullable or row.nullable) if found else None


_BOOLEAN = _fixed(Boolean(), Boolean, takes="takes conditions")

FUNCTIONS: tuple[Function, ...] = (
    *(Function(operator, 2, 2, _arithmetic(operator)) for operator in ("+", "-", "*", "/", "%")),
    *(Function(operator, 2, 2, _comparison) for operator in ("=", "<>", "<", "<=", ">", ">=")),
    Function("IN", 2, None, _membership),
    Function("IS NOT DISTINCT FROM", 2, 2, _null_safe_comparison),
    Function("AND", 2, 2, _BOOLEAN),
    Function("OR", 2, 2, _BOOLEAN),
    Function("NOT", 1, 1, _BOOLEAN),
    Function("IS NULL", 1, 1, _null_test),
    Function("IS TRUE", 1, 1, _null_test),
    Function("IS FALSE", 1, 1, _null_test),
    Function("LIKE", 2, 3, _fixed(Boolean(), *CHARACTER, takes="takes text and a pattern")),
    Function("NEGATIVE", 1, 1, _negative),
    Function("ABS", 1, 1, _number),
    Function("FLOOR", 1, 1, _whole),
    Function("CEIL", 1, 1, _whole),
    Function("MOD", 2, 2, _arithmetic("%")),
    Function("||", 2, 2, _text),
    Function("CONCAT", 1, None, _text),
    Function("UPPER", 1, 1, _text),
    Function("LOWER", 1, 1, _text),
    Function("TRIM", 1, 1, _text),
    Function("LTRIM", 1, 1, _text),
    Function("RTRIM", 1, 1, _text),
    Function("REPLACE", 3, 3, _text),
    Function("REVERSE", 1, 1, _text),
    Function("SUBSTRING", 2, 3, _substring),
    Function("CHAR_LENGTH", 1, 1, _fixed(Int(), *CHARACTER, takes="takes text")),
    Function("COALESCE", 1, None, _coalesce),
    Function("IFNULL", 2, 2, _coalesce),
    Function("NULLIF", 2, 2, _nullif),
    Function("ELEMENT", 2, 2, _element),
    Function("ARRAY", 1, None, _array),
    Function("MAP", 2, None, _map),
    Function("ROW", 1, None, _row),
    Function("CARDINALITY", 1, 1, _cardinality),
    Function("MD5", 1, 1, _fixed(Char(32), *CHARACTER, takes="takes text")),
)

_BY_NAME = {function.name: function for function in FUNCTIONS}

#: Written as operators, and not to be called by name.
OPERATORS = frozenset({"AND", "OR", "NOT", "IN", "LIKE", "NEGATIVE", "ELEMENT", "ARRAY", "MAP"})

#: Other names of the same function.
SYNONYMS = {
    "SUBSTR": "SUBSTRING",
    "CHARACTER_LENGTH": "CHAR_LENGTH",
    "CEILING": "CEIL",
}


def find_function(name: str) -> Function | None:
    name = name.upper()
    return _BY_NAME.get(SYNONYMS.get(name, name))


def function_names() -> list[str]:
    """What can be called by name."""
    return [*(name for name in _BY_NAME if name.isidentifier() and name not in OPERATORS), *SYNONYMS]
