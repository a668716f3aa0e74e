"""The aggregate functions, and the type each gives. One row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.plan.function.table import ArgumentError
from firesteel.plan.type_rule import avg_type, sum_type
from firesteel.types import CHARACTER, STRING, Array, BigInt, DataType, Map, Multiset, Row


@dataclass(frozen=True)
class AggregateFunction:
    name: str
    result: Callable[[DataType], DataType]


def _number(rule: Callable[[DataType], DataType | None]) -> Callable[[DataType], DataType]:
    def result(argument: DataType) -> DataType:
        found = rule(argument)
        if found is None:
            raise ArgumentError("takes a number")
        return found

    return result


def _ordered(argument: DataType) -> DataType:
    if isinstance(argument, Array | Map | Multiset | Row):
        raise ArgumentError("takes a value that has an order")
    return argument.with_nullable(True)


def _text(argument: DataType) -> DataType:
    if not isinstance(argument, CHARACTER):
        raise ArgumentError("takes a text")
    return STRING


def _any(argument: DataType) -> DataType:
    return argument.with_nullable(True)


AGGREGATES: tuple[AggregateFunction, ...] = (
    AggregateFunction("COUNT", lambda argument: BigInt(nullable=False)),
    AggregateFunction("SUM", _number(sum_type)),
    AggregateFunction("AVG", _number(avg_type)),
    AggregateFunction("MIN", _ordered),
    AggregateFunction("MAX", _ordered),
    AggregateFunction("STDDEV_POP", _number(avg_type)),
    AggregateFunction("STDDEV_SAMP", _number(avg_type)),
    AggregateFunction("VAR_POP", _number(avg_type)),
    AggregateFunction("VAR_SAMP", _number(avg_type)),
    AggregateFunction("STDDEV", _number(avg_type)),
    AggregateFunction("VARIANCE", _number(avg_type)),
    AggregateFunction("FIRST_VALUE", _any),
    AggregateFunction("LAST_VALUE", _any),
    AggregateFunction("LISTAGG", _text),
)

#: The functions that can retract a value: their new result follows from the old one and the value.
REVERSIBLE = frozenset({"COUNT", "SUM", "AVG"})
#: The functions whose result depends on the order of arrival.
IN_ORDER = frozenset({"FIRST_VALUE", "LAST_VALUE", "LISTAGG"})

_BY_NAME = {aggregate.name: aggregate for aggregate in AGGREGATES}


def find_aggregate(name: str) -> AggregateFunction | None:
    return _BY_NAME.get(name.upper())


def aggregate_names() -> list[str]:
    return list(_BY_NAME)
