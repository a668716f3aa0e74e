"""Lists the state of a plan: for each node that keeps state, its key and the values kept for each key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from firesteel.catalog.connector import is_bounded
from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, substitute
from firesteel.plan.fact.keyed import on_engine
from firesteel.plan.fact.lineage import qualified_columns, readable_columns
from firesteel.plan.fact.time_to_live import times_to_live
from firesteel.plan.function.table import as_written
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    TimeJoin,
    Union,
    Unnest,
    Values,
    Watermark,
    Window,
    WindowAggregate,
    scans,
)


@dataclass(frozen=True)
class State:
    """The state of one node: the values `kept` for each value of `key`; each distinct value of the columns `distinct`.

    `grows`: the input is unbounded, and each row may bring a new key or a new distinct value.
    """

    node: Node
    key: tuple[str, ...]
    kept: tuple[str, ...]
    distinct: tuple[str, ...]
    grows: bool
    #: When the state is dropped; empty if it is kept for ever.
    until: str = ""

    @property
    def kept_for(self) -> tuple[int, ...]:
        """Returns how long it stays without being written again, in milliseconds: one number, or one for each side. 0 is for ever."""
        return times_to_live(self.node)

    @property
    def ends(self) -> bool:
        """Says whether all of it is dropped some time."""
        return bool(self.until) or (bool(self.kept_for) and all(self.kept_for))

    @property
    def on_engine(self) -> bool:
        """Says whether the state engine keeps it, or one of Spark's own operators."""
        return on_engine(self.node)

    @property
    def name(self) -> str:
        return type(self.node).__name__


def plan_state(node: Node) -> tuple[State, ...]:
    """Returns the states of a plan, sources first."""
    return tuple(_states(node))


def _states(node: Node) -> Iterator[State]:
    for child in node.inputs:
        yield from _states(child)
    match node:
        case Aggregate(keys=keys, calls=calls):
            key, kept, distinct = _grouped(node.input, keys, calls)
            yield State(node, key, kept, distinct, is_unbounded(node) and bool(key or distinct))
        case WindowAggregate(keys=keys, calls=calls):
            key, kept, distinct = _grouped(node.input, keys, calls)
            until = "until the window's end by the clock" if node.by_clock else "until the window closes"
            yield State(node, key, kept, distinct, grows=False, until=until)
        case Normalize(keys=keys):
            yield State(node, keys, ("its last row",), (), is_unbounded(node))
        case Materialize(keys=keys):
            yield State(node, keys, ("every row",), (), is_unbounded(node))
        case Rank(partition=partition, last=last):
            names = readable_columns(node.input)
            key = tuple(names.get(name, name) for name in partition)
            rows = "its first row" if node.keeps_first else "its last row" if node.keeps_last else f"{last} rows"
            if node.window_end is not None:
                yield State(node, key, (f"{last} rows",), (), grows=False, until="until the window closes")
            else:
                yield State(node, key, (rows,), (), is_unbounded(node) and bool(key))
        case Join():
            yield State(node, _pairs(node), ("every row of both sides",), (), is_unbounded(node))
        case TimeJoin():
            until = "until no partner can come"
            yield State(node, _pairs(node), ("every row of both sides",), (), grows=False, until=until)
        case Scan() | Values() | Project() | Filter() | Union() | Unnest() | Watermark() | Window() | Sink():
            return
        case _:
            assert_never(node)


def _pairs(node: Join | TimeJoin) -> tuple[str, ...]:
    """Renders the equalities of a join, with the tables of their columns."""
    left, right = qualified_columns(node.left), qualified_columns(node.right)
    return tuple(f"{_readable(one, left)} = {_readable(other, right)}" for one, other in node.keys)


def _grouped(
    node: Node, keys: tuple[str, ...], calls: tuple[AggregateCall, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Returns the key of an aggregate's state, the values kept for it, and the columns whose distinct values are kept."""
    names = readable_columns(node)
    kept = tuple(dict.fromkeys(_kept(call, names) for call in calls))
    distinct = tuple(
        dict.fromkeys(_argument(call, names) for call in calls if call.distinct and call.argument is not None)
    )
    return tuple(names.get(name, name) for name in keys), kept or ("that it was seen",), distinct


def _readable(expression: Expression, names: dict[str, str]) -> str:
    def swap(part: Expression) -> Expression | None:
        return ColumnRef(names.get(part.name, part.name), part.type) if isinstance(part, ColumnRef) else None

    return str(substitute(as_written(expression), swap))


def is_unbounded(node: Node) -> bool:
    """Says whether a source below is unbounded."""
    return any(not is_bounded(scan.table) for scan in scans(node))


def _kept(call: AggregateCall, names: dict[str, str]) -> str:
    argument = _argument(call, names)
    if call.distinct:
        return f"every distinct {argument}"
    match call.function:
        case "COUNT":
            return "the number of rows" if call.argument is None else f"the number of {argument}"
        case "SUM":
            return f"the sum of {argument}"
        case "AVG":
            return f"the sum and the number of {argument}"
        case "MIN":
            return f"the least {argument}"
        case "MAX":
            return f"the greatest {argument}"
        case other:
            return f"{other} of {argument}"


def _argument(call: AggregateCall, names: dict[str, str]) -> str:
    return "" if call.argument is None else names.get(call.argument.name, call.argument.name)
