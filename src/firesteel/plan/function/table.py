"""Lists the scalar functions by family. `spark/lower/function/table.py` has the other half of each row: how Spark computes it.

Tests compare the two halves, and the page `docs/functions.md` with this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expression import Call, Expression, substitute
from firesteel.plan.function.absent import ABSENT_SCALARS
from firesteel.plan.function.collection import COLLECTION_FUNCTIONS
from firesteel.plan.function.condition import CONDITION_FUNCTIONS
from firesteel.plan.function.json import JSON_FUNCTIONS
from firesteel.plan.function.numeric import NUMERIC_FUNCTIONS
from firesteel.plan.function.operator import OPERATORS, ROW_FUNCTION
from firesteel.plan.function.signature import ArgumentError as ArgumentError
from firesteel.plan.function.signature import Function
from firesteel.plan.function.string import HASH_FUNCTIONS, STRING_FUNCTIONS
from firesteel.plan.function.time import TIME_FUNCTIONS


@dataclass(frozen=True)
class Family:
    """A family of functions; `missing` are Flink's functions that are not supported yet."""

    name: str
    functions: tuple[Function, ...]
    missing: tuple[str, ...] = ()


FAMILIES: tuple[Family, ...] = tuple(
    Family(name, functions, ABSENT_SCALARS.get(name, ()))
    for name, functions in (
        ("Text", STRING_FUNCTIONS),
        ("Numbers", NUMERIC_FUNCTIONS),
        ("Dates and times", TIME_FUNCTIONS),
        ("Conditions", CONDITION_FUNCTIONS),
        ("ARRAY, MAP and ROW", (*COLLECTION_FUNCTIONS, ROW_FUNCTION)),
        ("JSON", JSON_FUNCTIONS),
        ("Hashes, encodings and types", HASH_FUNCTIONS),
    )
)

FUNCTIONS: tuple[Function, ...] = (*OPERATORS, *(function for family in FAMILIES for function in family.functions))

_BY_NAME = {function.name: function for function in FUNCTIONS}

#: Functions that are written as operators and cannot be called by name.
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


def as_written(expression: Expression) -> Expression:
    """Removes the arguments that come from clauses, for messages.

    >>> from firesteel.plan.expression import ColumnRef, Literal
    >>> from firesteel.types import STRING
    >>> text = Literal("NULL", STRING)
    >>> str(as_written(Call("JSON_VALUE", (ColumnRef("k", STRING), Literal("$.a", STRING), text, text, text, text), STRING)))
    "JSON_VALUE(k, '$.a')"
    """

    def swap(part: Expression) -> Expression | None:
        function = find_function(part.function) if isinstance(part, Call) else None
        if not isinstance(part, Call) or function is None or function.written == (0, None):
            return None
        return Call(part.function, tuple(map(as_written, part.args[slice(*function.written)])), part.type)

    return substitute(expression, swap)


def function_names() -> list[str]:
    """Returns the names of all functions that can be called by name."""
    return [*(name for name in _BY_NAME if name.isidentifier() and name not in OPERATOR_NAMES), *SYNONYMS, "IF"]
