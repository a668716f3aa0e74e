"""The scalar functions, by family. `spark/function.py` holds the other half of each row: how Spark computes it.

A test sees to it that the two agree, and that the page `docs/functions.md` says what stands here.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.collection_function import COLLECTION_FUNCTIONS
from firesteel.plan.condition_function import CONDITION_FUNCTIONS
from firesteel.plan.json_function import JSON_FUNCTIONS
from firesteel.plan.numeric_function import NUMERIC_FUNCTIONS
from firesteel.plan.operator_function import OPERATORS, ROW_FUNCTION
from firesteel.plan.signature import ArgumentError as ArgumentError
from firesteel.plan.signature import Function
from firesteel.plan.string_function import HASH_FUNCTIONS, STRING_FUNCTIONS
from firesteel.plan.time_function import TIME_FUNCTIONS


@dataclass(frozen=True)
class Family:
    """`missing` are the functions of Flink's that cannot be called yet."""

    name: str
    functions: tuple[Function, ...]
    missing: tuple[str, ...] = ()


FAMILIES: tuple[Family, ...] = (
    Family("Text", STRING_FUNCTIONS),
    Family("Numbers", NUMERIC_FUNCTIONS),
    Family("Dates and times", TIME_FUNCTIONS, ("OVERLAPS",)),
    Family("Conditions", CONDITION_FUNCTIONS),
    Family("ARRAY, MAP and ROW", (*COLLECTION_FUNCTIONS, ROW_FUNCTION), ("OBJECT_OF", "OBJECT_UPDATE")),
    Family("JSON", JSON_FUNCTIONS, ("JSON_LENGTH", "JSON_TYPE", "PARSE_JSON", "TRY_PARSE_JSON")),
    Family(
        "Hashes, encodings and types",
        HASH_FUNCTIONS,
        (
            *("BITMAP_AND", "BITMAP_ANDNOT", "BITMAP_BUILD", "BITMAP_CARDINALITY", "BITMAP_FROM_BYTES", "BITMAP_OR"),
            *("BITMAP_TO_ARRAY", "BITMAP_TO_BYTES", "BITMAP_TO_STRING", "BITMAP_XOR"),
            *("HASH_CODE", "IS_VALID_UTF8", "MAKE_VALID_UTF8", "CURRENT_DATABASE"),
        ),
    ),
)

FUNCTIONS: tuple[Function, ...] = (*OPERATORS, *(function for family in FAMILIES for function in family.functions))
MISSING = frozenset(name for family in FAMILIES for name in family.missing)

_BY_NAME = {function.name: function for function in FUNCTIONS}

#: Written as operators, and not to be called by name.
OPERATOR_NAMES = frozenset(function.name for function in OPERATORS)

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
    return [*(name for name in _BY_NAME if name.isidentifier() and name not in OPERATOR_NAMES), *SYNONYMS, "IF"]
