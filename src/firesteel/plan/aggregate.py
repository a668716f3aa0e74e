"""The aggregate functions, and the type each gives. One row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.plan.function import ArgumentError
from firesteel.plan.type_rule import avg_type, sum_type
from firesteel.types import Array, BigInt, DataType, Map, Multiset, Row


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


AGGREGATES: tuple[AggregateFunction, ...] = (
    AggregateFunction("COUNT", lambda argument: BigInt(nullable=False)),
    AggregateFunction("SUM", _number(sum_type)),
    AggregateFunction("AVG", _number(avg_type)),
    AggregateFunction("MIN", _ordered),
    AggregateFunction("MAX", _ordered),
)

_BY_NAME = {aggregate.name: aggregate for aggregate in AGGREGATES}


def find_aggregate(name: str) -> AggregateFunction | None:
    return _BY_NAME.get(name.upper())


def aggregate_names() -> list[str]:
    return list(_BY_NAME)
