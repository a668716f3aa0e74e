"""Lowers the functions over ARRAY and MAP, and those that choose between values."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.formats.column.null_key import NULL_KEY
from firesteel.plan.expression import Call
from firesteel.spark.lower.function.form import Translation, plain, spark, typed, when_all
from firesteel.types import CHARACTER, Map


def _slice(call: Call, args: list[Column]) -> Column:
    """Lowers ARRAY_SLICE. Both ends are included. They count from 1, or from the end if they are negative; 0 is the
    beginning.
    """
    array, start = args[:2]
    size = F.size(array)
    end = args[2] if len(args) == 3 else size

    def position(given: Column) -> Column:
        return F.when(given == 0, F.lit(1)).otherwise(F.when(given < 0, size + given + 1).otherwise(given))

    first, last = position(start), position(end)
    inside = F.filter(array, lambda item, index: (index + 1 >= first) & (index + 1 <= last))
    return when_all(args, inside)


def _sort(call: Call, args: list[Column]) -> Column:
    array = args[0]
    ascending = args[1] if len(args) > 1 else F.lit(True)
    nulls_first = args[2] if len(args) > 2 else ascending
    known = F.filter(array, lambda item: item.isNotNull())
    nulls = F.filter(array, lambda item: item.isNull())
    ordered = F.when(ascending, F.sort_array(known, True)).otherwise(F.sort_array(known, False))
    return when_all(args, F.when(nulls_first, F.concat(nulls, ordered)).otherwise(F.concat(ordered, nulls)))


def _sole(call: Call, args: list[Column]) -> Column:
    array = args[0]
    several = F.raise_error(F.lit("ELEMENT takes an array of one element."))
    return F.when(F.size(array) <= 1, F.get(array, F.lit(0))).otherwise(F.when(array.isNotNull(), several))


def _key(call: Call, key: Column) -> Column:
    """Converts a map's key back to the value that the script sees."""
    held = call.args[0].type
    if isinstance(held, Map) and isinstance(held.key, CHARACTER) and held.key.nullable:
        return F.nullif(key, F.lit(NULL_KEY))
    return key


def _keys(call: Call, args: list[Column]) -> Column:
    keys = F.map_keys(args[0])
    return F.transform(keys, lambda key: _key(call, key))


def _entries(call: Call, args: list[Column]) -> Column:
    return F.transform(
        F.map_entries(args[0]),
        lambda entry: F.struct(_key(call, entry["key"]).alias("key"), entry["value"].alias("value")),
    )


def _unless_null(function: Callable[..., Column]) -> Translation:
    """Wraps a function of Spark that ignores NULLs, so that it gives NULL if an argument is NULL, as in Flink."""
    return lambda call, args: when_all(args, function(*args) if len(args) > 1 else args[0])


COLLECTION_TRANSLATIONS: dict[str, Translation] = {
    "ARRAY_APPEND": plain(F.array_append),
    "ARRAY_CONCAT": plain(F.concat),
    "ARRAY_CONTAINS": plain(lambda array, value: F.exists(array, lambda item: item.eqNullSafe(value))),
    "ARRAY_DISTINCT": plain(F.array_distinct),
    "ARRAY_EXCEPT": plain(F.array_except),
    "ARRAY_INTERSECT": plain(F.array_intersect),
    "ARRAY_JOIN": spark("array_join"),
    "ARRAY_MAX": plain(F.array_max),
    "ARRAY_MIN": plain(F.array_min),
    "ARRAY_POSITION": typed(F.array_position),
    "ARRAY_PREPEND": plain(F.array_prepend),
    "ARRAY_REMOVE": plain(lambda array, value: F.filter(array, lambda item: ~item.eqNullSafe(value))),
    "ARRAY_REVERSE": plain(F.reverse),
    "ARRAY_SLICE": _slice,
    "ARRAY_SORT": _sort,
    "ARRAY_UNION": plain(F.array_union),
    "CARDINALITY": plain(F.size),
    "ELEMENT": _sole,
    "MAP_ENTRIES": _entries,
    "MAP_FROM_ARRAYS": plain(F.map_from_arrays),
    "MAP_KEYS": _keys,
    "MAP_UNION": plain(F.map_concat),
    "MAP_VALUES": plain(F.map_values),
    "COALESCE": plain(F.coalesce),
    "GREATEST": _unless_null(F.greatest),
    "IFNULL": plain(F.coalesce),
    "LEAST": _unless_null(F.least),
    "NULLIF": plain(F.nullif),
}
