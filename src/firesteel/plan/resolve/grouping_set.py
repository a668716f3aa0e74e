"""Resolves GROUPING SETS, CUBE and ROLLUP: each row is repeated for every set, with NULL for the keys that the set leaves out.

>>> from sqlglot import exp
>>> a, b = exp.column("a"), exp.column("b")
>>> [[one.name for one in members] for members in find_sets([exp.Rollup(expressions=[a, b])])]
[['a', 'b'], ['a'], []]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

from sqlglot import exp

from firesteel.plan.expression import Call, Case, ColumnRef, Expression, Literal
from firesteel.plan.node.relation import Node, Project, Unnest
from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.node import span_of
from firesteel.types import Array, BigInt, Boolean, Field, Int

Members = tuple[exp.Expression, ...]

#: How many sets one GROUP BY may have.
_MOST = 1024
_NUMBER = Int(nullable=False)


def find_sets(written: Sequence[exp.Expression]) -> list[Members]:
    """Gives the sets that a GROUP BY groups by: one, unless it has GROUPING SETS, CUBE or ROLLUP."""
    parts = [_sets_of(one) for one in written]
    total = 1
    for one, found in zip(written, parts, strict=True):
        total *= len(found)
        if total > _MOST:
            raise Mistake(f"GROUP BY has more than {_MOST} grouping sets.", span_of(one), "Group by fewer columns.")
    return [tuple(chain.from_iterable(chosen)) for chosen in product(*parts)]


def _sets_of(item: exp.Expression) -> list[Members]:
    match item:
        case exp.GroupingSets():
            return [members for one in item.expressions for members in _sets_of(one)]
        case exp.Rollup():
            parts = [_members(one) for one in item.expressions]
            return [_joined(parts[:count]) for count in range(len(parts), -1, -1)]
        case exp.Cube():
            parts = [_members(one) for one in item.expressions]
            if len(parts) > _MOST.bit_length():
                raise Mistake(
                    f"GROUP BY has more than {_MOST} grouping sets.", span_of(item), "Group by fewer columns."
                )
            return [_joined(chosen) for count in range(len(parts), -1, -1) for chosen in combinations(parts, count)]
        case _:
            return [_members(item)]


def _members(item: exp.Expression) -> Members:
    match item:
        case exp.Tuple():
            return tuple(item.expressions)
        case exp.Paren():
            return _members(item.this)
        case _:
            return (item,)


def _joined(parts: Iterable[Members]) -> Members:
    return tuple(chain.from_iterable(parts))


@dataclass(frozen=True)
class GroupingSets:
    """The sets of a GROUP BY, by the names of its keys. `number` is the column with the number of a row's set."""

    sets: tuple[frozenset[str], ...]
    number: ColumnRef

    def grouping(self, names: Sequence[str]) -> Expression:
        """Computes GROUPING and GROUPING_ID: a bit for each key, which is set where the row's set leaves the key out."""
        kind = BigInt(nullable=False)
        bits = [sum((name not in held) << place for place, name in enumerate(reversed(names))) for held in self.sets]
        branches = tuple((self._is(place), Literal(value, kind)) for place, value in enumerate(bits[:-1]))
        return Case(branches, Literal(bits[-1], kind), kind)

    def _is(self, place: int) -> Expression:
        return Call("=", (self.number, Literal(place, _NUMBER)), Boolean(nullable=False))

    def spread(
        self, node: Node, keys: Mapping[str, ColumnRef], unique: Callable[[str], str]
    ) -> tuple[Node, dict[str, ColumnRef]]:
        """Repeats the rows of a node, and gives the column of each key there, by the key's name."""
        numbers = tuple(Literal(place, _NUMBER) for place in range(len(self.sets)))
        spread = Unnest(
            node, Call("ARRAY", numbers, Array(_NUMBER, nullable=False)), (Field(self.number.name, _NUMBER),)
        )
        columns: dict[str, Expression] = {one.name: ColumnRef(one.name, one.type) for one in spread.fields}
        found: dict[str, ColumnRef] = {}
        for name, key in keys.items():
            holding = [place for place, held in enumerate(self.sets) if name in held]
            if len(holding) == len(self.sets):
                found[name] = key
                continue
            kind = key.type.with_nullable(True)
            # An aggregate may need the column as it is.
            found[name] = ColumnRef(unique(name), kind)
            branches = tuple((self._is(place), key) for place in holding)
            columns[found[name].name] = Case(branches, Literal(None, kind), kind)
        fields = tuple(Field(name, value.type) for name, value in columns.items())
        return Project(spread, fields, tuple(columns.values())), found
