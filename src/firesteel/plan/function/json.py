"""Functions over JSON. The values of their clauses are literals behind the other arguments."""

from __future__ import annotations

from firesteel.plan.function.json_path import PathError, parse_path
from firesteel.plan.function.signature import (
    ANY,
    TEXT,
    TEXT_LITERAL,
    ArgumentError,
    Arguments,
    Function,
    always_gives,
    gives,
    literal_value,
    may_give,
)
from firesteel.types import (
    BINARY,
    CHARACTER,
    NUMERIC,
    STRING,
    Array,
    Boolean,
    DataType,
    Double,
    Int,
    Map,
    Multiset,
    Null,
    Row,
    Timestamp,
    TimestampLtz,
    Varchar,
)


def _path(args: Arguments) -> None:
    path = literal_value(args, 1)
    if not isinstance(path, str):
        return
    try:
        parse_path(path)
    except PathError:
        raise ArgumentError("takes a path such as '$.a.b[0]'; filters and functions are not supported yet") from None


def _value(args: Arguments) -> DataType:
    """Returns the type of JSON_VALUE: that of the third argument, a NULL of the type in RETURNING."""
    _path(args)
    returning = args[2].type
    if not isinstance(returning, Varchar | Boolean | Int | Double):
        raise ArgumentError("takes STRING, BOOLEAN, INTEGER or DOUBLE behind RETURNING")
    return returning.with_nullable(True)


def _query(args: Arguments) -> DataType:
    _path(args)
    returning = args[2].type
    if isinstance(returning, Varchar):
        return returning.with_nullable(True)
    if not isinstance(returning, Array) or not isinstance(returning.element, Varchar):
        raise ArgumentError("takes STRING or ARRAY<STRING> behind RETURNING")
    if "EMPTY OBJECT" in (literal_value(args, 4), literal_value(args, 5)):
        raise ArgumentError("takes no EMPTY OBJECT for an ARRAY")
    return returning.with_nullable(True)


def _exists(args: Arguments) -> DataType:
    _path(args)
    return Boolean()


def writable(data_type: DataType) -> bool:
    """Says whether values of the type can be written as JSON."""
    match data_type:
        case Array(element=element) | Multiset(element=element):
            return writable(element)
        case Map(key=key, value=value):
            return isinstance(key, (Null, *CHARACTER)) and writable(value)
        case Row(fields=fields):
            return all(writable(field.type) for field in fields)
    return isinstance(data_type, (Null, Boolean, Timestamp, TimestampLtz, *CHARACTER, *NUMERIC, *BINARY))


def _check_writable(values: Arguments) -> None:
    for value in values:
        if not writable(value.type):
            raise ArgumentError(f"cannot convert {value.type.sql} to JSON")


def _string(args: Arguments) -> DataType:
    _check_writable(args)
    return STRING.with_nullable(args[0].type.nullable)


def _object(args: Arguments) -> DataType:
    """Returns the type of JSON_OBJECT. Its arguments are NULL or ABSENT, then keys and values in turn."""
    keys = [literal_value(args, number) for number in range(1, len(args), 2)]
    if not all(isinstance(key, str) for key in keys):
        raise ArgumentError("takes keys that are text literals")
    if len(set(keys)) < len(keys):
        raise ArgumentError("takes each key once")
    _check_writable(args[2::2])
    return STRING.not_null()


def _array(args: Arguments) -> DataType:
    _check_writable(args[1:])
    return STRING.not_null()


JSON_FUNCTIONS: tuple[Function, ...] = (
    Function("JSON_ARRAY", (TEXT_LITERAL, ANY), _array, optional=1, repeats=True, written=(1, None)),
    Function("JSON_EXISTS", (TEXT, TEXT_LITERAL, TEXT_LITERAL), _exists, written=(0, 2)),
    Function("JSON_OBJECT", (TEXT_LITERAL, ANY), _object, optional=1, repeats=True, written=(1, None)),
    Function("JSON_QUERY", (TEXT, TEXT_LITERAL, ANY, TEXT_LITERAL, TEXT_LITERAL, TEXT_LITERAL), _query, written=(0, 2)),
    Function("JSON_QUOTE", (TEXT,), gives(STRING)),
    Function("JSON_STRING", (ANY,), _string),
    Function("JSON_UNQUOTE", (TEXT,), gives(STRING)),
    Function("JSON_VALUE", (TEXT, TEXT_LITERAL, ANY, TEXT_LITERAL, ANY, TEXT_LITERAL, ANY), _value, written=(0, 2)),
    Function("IS JSON", (TEXT, TEXT_LITERAL), always_gives(Boolean()), written=(0, 1)),
    #: Only inside JSON_OBJECT and JSON_ARRAY.
    Function("JSON", (TEXT,), may_give(STRING)),
)
