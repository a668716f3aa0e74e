"""Functions over ARRAY and MAP."""

from __future__ import annotations

from firesteel.plan.function.signature import (
    ANY,
    ARRAY,
    COLLECTION,
    CONDITION,
    MAP,
    TEXT,
    WHOLE,
    ArgumentError,
    Arguments,
    Function,
    Rule,
    all_like_result,
    any_nullable,
    common,
    gives,
    like_first,
    to_type,
)
from firesteel.plan.type_rule import common_type
from firesteel.types import CHARACTER, STRING, Array, Boolean, DataType, Field, Int, Map, Null, Row


def _element(array: DataType) -> DataType:
    return array.element if isinstance(array, Array) else Null()


def _sought(result: DataType) -> Rule:
    """Makes the rule of a search for a value in an array: its type must have a common type with the elements."""

    def rule(args: Arguments) -> DataType:
        if common_type(_element(args[0].type), args[1].type) is None:
            raise ArgumentError("takes an ARRAY and a value of its elements' type")
        return result.with_nullable(any_nullable(args))

    return rule


def _contains(args: Arguments) -> DataType:
    return _sought(Boolean())(args).with_nullable(args[0].type.nullable)


def _removed(args: Arguments) -> DataType:
    _contains(args)
    return args[0].type


def _needle(args: Arguments, result: DataType) -> Arguments:
    return (args[0], to_type(args[1], _element(args[0].type)))


def _extended(args: Arguments) -> DataType:
    wider = common_type(_element(args[0].type), args[1].type)
    if wider is None:
        raise ArgumentError("takes an ARRAY and a value of its elements' type")
    return Array(wider, nullable=args[0].type.nullable)


def _extension(args: Arguments, result: DataType) -> Arguments:
    assert isinstance(result, Array)
    return (to_type(args[0], result), to_type(args[1], result.element))


def _joined(args: Arguments) -> DataType:
    if not isinstance(_element(args[0].type), (Null, *CHARACTER)):
        raise ArgumentError("takes an ARRAY of text")
    return STRING.with_nullable(any_nullable(args))


def _ordered(args: Arguments) -> DataType:
    if isinstance(_element(args[0].type), Array | Map | Row):
        raise ArgumentError("takes an ARRAY whose elements have an order")
    return args[0].type


def _extreme(args: Arguments) -> DataType:
    _ordered(args)
    return _element(args[0].type).with_nullable(True)


def _sole(args: Arguments) -> DataType:
    return _element(args[0].type).with_nullable(True)


def _sorted(args: Arguments) -> DataType:
    return _ordered(args).with_nullable(any_nullable(args))


def _map(args: Arguments) -> tuple[DataType, DataType]:
    held = args[0].type
    return (held.key, held.value) if isinstance(held, Map) else (Null(), Null())


def _keys(args: Arguments) -> DataType:
    return Array(_map(args)[0], nullable=args[0].type.nullable)


def _values(args: Arguments) -> DataType:
    return Array(_map(args)[1], nullable=args[0].type.nullable)


def _entries(args: Arguments) -> DataType:
    key, value = _map(args)
    entry = Row((Field("key", key), Field("value", value)), nullable=False)
    return Array(entry, nullable=args[0].type.nullable)


def _from_arrays(args: Arguments) -> DataType:
    return Map(_element(args[0].type), _element(args[1].type), nullable=any_nullable(args))


COLLECTION_FUNCTIONS: tuple[Function, ...] = (
    Function("ARRAY_APPEND", (ARRAY, ANY), _extended, fit=_extension),
    Function("ARRAY_CONCAT", (ARRAY,), common, repeats=True, fit=all_like_result),
    Function("ARRAY_CONTAINS", (ARRAY, ANY), _contains, fit=_needle),
    Function("ARRAY_DISTINCT", (ARRAY,), like_first),
    Function("ARRAY_EXCEPT", (ARRAY, ARRAY), common, fit=all_like_result),
    Function("ARRAY_INTERSECT", (ARRAY, ARRAY), common, fit=all_like_result),
    Function("ARRAY_JOIN", (ARRAY, TEXT, TEXT), _joined, optional=1),
    Function("ARRAY_MAX", (ARRAY,), _extreme),
    Function("ARRAY_MIN", (ARRAY,), _extreme),
    Function("ARRAY_POSITION", (ARRAY, ANY), _sought(Int()), fit=_needle),
    Function("ARRAY_PREPEND", (ARRAY, ANY), _extended, fit=_extension),
    Function("ARRAY_REMOVE", (ARRAY, ANY), _removed, fit=_needle),
    Function("ARRAY_REVERSE", (ARRAY,), like_first),
    Function("ARRAY_SLICE", (ARRAY, WHOLE, WHOLE), like_first, optional=1),
    Function("ARRAY_SORT", (ARRAY, CONDITION, CONDITION), _sorted, optional=2),
    Function("ARRAY_UNION", (ARRAY, ARRAY), common, fit=all_like_result),
    Function("CARDINALITY", (COLLECTION,), gives(Int())),
    Function("ELEMENT", (ARRAY,), _sole),
    Function("MAP_ENTRIES", (MAP,), _entries),
    Function("MAP_FROM_ARRAYS", (ARRAY, ARRAY), _from_arrays),
    Function("MAP_KEYS", (MAP,), _keys),
    Function("MAP_UNION", (MAP,), common, repeats=True, fit=all_like_result),
    Function("MAP_VALUES", (MAP,), _values),
)
