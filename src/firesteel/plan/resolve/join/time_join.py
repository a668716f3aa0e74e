"""Finds the bounds of time in a join's condition, which make it an interval join or a window join."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.errors import Span
from firesteel.plan.expression import Call, ColumnRef, Expression, Literal, conjunction
from firesteel.plan.node.join_kind import JoinKind
from firesteel.plan.node.relation import Node
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window_columns import WindowColumns
from firesteel.types import Interval

Keys = tuple[tuple[Expression, Expression], ...]

#: The operator when its sides are swapped.
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def time_join(
    left: Node, right: Node, kind: JoinKind, keys: Keys, rest: list[Expression], span: Span | None
) -> TimeJoin | None:
    """Makes the join with equalities `keys` and conditions `rest` a TimeJoin; None if event time does not bound it."""
    if kind.keeps_left or any(side.changelog != INSERT_ONLY for side in (left, right)):
        return None
    return _window_join(left, right, kind, keys, rest, span) or _interval_join(left, right, kind, keys, rest, span)


def _window_join(
    left: Node, right: Node, kind: JoinKind, keys: Keys, rest: list[Expression], span: Span | None
) -> TimeJoin | None:
    one, other = left.window_columns, right.window_columns
    if (
        one is None
        or other is None
        or one.by_clock
        or other.by_clock
        or one.is_local != other.is_local
        or one.assigner != other.assigner
    ):
        return None
    ends = [pair for pair in keys if _are(pair, one, other, "ends")]
    if not ends or not any(_are(pair, one, other, "starts") for pair in keys):
        return None
    (left_end, right_end) = ends[0]
    assert isinstance(left_end, ColumnRef) and isinstance(right_end, ColumnRef)
    condition = conjunction(rest) if rest else None
    return TimeJoin(left, right, kind, keys, left_end.name, right_end.name, 0, 0, condition, True, one.is_local, span)


def _are(pair: tuple[Expression, Expression], left: WindowColumns, right: WindowColumns, which: str) -> bool:
    a, b = pair
    return (
        isinstance(a, ColumnRef)
        and isinstance(b, ColumnRef)
        and a.name in getattr(left, which)
        and b.name in getattr(right, which)
    )


@dataclass
class _Bounds:
    lower: int | None = None
    upper: int | None = None

    def at_least(self, value: int) -> None:
        self.lower = value if self.lower is None else max(self.lower, value)

    def at_most(self, value: int) -> None:
        self.upper = value if self.upper is None else min(self.upper, value)


def _interval_join(
    left: Node, right: Node, kind: JoinKind, keys: Keys, rest: list[Expression], span: Span | None
) -> TimeJoin | None:
    pairs: dict[tuple[str, str], _Bounds] = {}
    others: list[Expression] = []
    left_times, right_times = left.event_times, right.event_times
    equal = [pair for pair in keys if _time(pair[0], left_times) and _time(pair[1], right_times)]
    for condition in [*(Call("=", pair, pair[0].type) for pair in equal), *rest]:
        found = _bound(condition, left_times, right_times)
        if found is None:
            others.append(condition)
            continue
        operator, names, distance = found
        bounds = pairs.setdefault(names, _Bounds())
        if operator in ("<=", "<", "="):
            bounds.at_least(distance + (operator == "<"))
        if operator in (">=", ">", "="):
            bounds.at_most(distance - (operator == ">"))
    complete = [(names, one) for names, one in pairs.items() if one.lower is not None and one.upper is not None]
    if len(pairs) != 1 or not complete or len(keys) == len(equal):
        return None
    (left_time, right_time), bounds = complete[0]
    assert bounds.lower is not None and bounds.upper is not None
    if bounds.lower > bounds.upper:
        return None
    kept = tuple(pair for pair in keys if pair not in equal)
    more = conjunction(others) if others else None
    return TimeJoin(left, right, kind, kept, left_time, right_time, bounds.lower, bounds.upper, more, span=span)


def _bound(
    condition: Expression, left: frozenset[str], right: frozenset[str]
) -> tuple[str, tuple[str, str], int] | None:
    """Reads `left + a op right + b` as (op, (left, right), a - b); None if the condition has another form."""
    if not isinstance(condition, Call) or condition.function not in _MIRRORED or len(condition.args) != 2:
        return None
    operator, (one, other) = condition.function, condition.args
    if _time(one, left) is None:
        operator, one, other = _MIRRORED[operator], other, one
    a, b = _time(one, left), _time(other, right)
    if a is None or b is None:
        return None
    return operator, (a[0], b[0]), a[1] - b[1]


def _time(expression: Expression, times: frozenset[str]) -> tuple[str, int] | None:
    """Reads a column of event time and the constant added to it, in milliseconds; None for any other expression."""
    match expression:
        case ColumnRef(name=name) if name in times:
            return name, 0
        case Call("+" | "-" as sign, (inner, Literal(value=int(micros), type=Interval(months=False)))):
            found = _time(inner, times)
        case Call("+", (Literal(value=int(micros), type=Interval(months=False)), inner)):
            found, sign = _time(inner, times), "+"
        case _:
            return None
    if found is None or micros % 1000:
        return None
    return found[0], found[1] + (micros if sign == "+" else -micros) // 1000
