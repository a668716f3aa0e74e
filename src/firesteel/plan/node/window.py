"""Time in a plan: the watermark of a table, windows, and the aggregate of a window, which only inserts.

Times and lengths are milliseconds. Rows carry the bounds of their window as columns. A node that works on whole windows
finds them by these columns, which `PlanNode.window_columns` follows through projections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firesteel.changelog.kind import INSERT_ONLY, Changelog
from firesteel.errors import Span
from firesteel.plan.expression import Expression
from firesteel.plan.node.aggregate import Grouped
from firesteel.plan.node.plan_node import PassedOn, SingleInput, UniqueKey
from firesteel.plan.node.window_columns import WindowColumns
from firesteel.types import DataType, Field, Timestamp, TimestampLtz

if TYPE_CHECKING:
    from firesteel.plan.node.relation import Node


@dataclass(frozen=True)
class Tumble:
    """Windows of `size`, one after the other."""

    size: int
    offset: int = 0

    def __str__(self) -> str:
        return f"TUMBLE({render_length(self.size)}{_offset(self.offset)})"


@dataclass(frozen=True)
class Hop:
    """Windows of `size`, one beginning every `slide`."""

    slide: int
    size: int
    offset: int = 0

    def __str__(self) -> str:
        return f"HOP({render_length(self.slide)}, {render_length(self.size)}{_offset(self.offset)})"


@dataclass(frozen=True)
class Cumulate:
    """Windows that begin every `size`, each in versions that grow by `step` up to `size`."""

    step: int
    size: int
    offset: int = 0

    def __str__(self) -> str:
        return f"CUMULATE({render_length(self.step)}, {render_length(self.size)}{_offset(self.offset)})"


@dataclass(frozen=True)
class Session:
    """Windows that end after `gap` without a row, separate for each value of the group's keys."""

    gap: int

    def __str__(self) -> str:
        return f"SESSION({render_length(self.gap)})"


Assigner = Tumble | Hop | Cumulate | Session


def render_length(milliseconds: int) -> str:
    """Renders a length in its largest whole unit.

    >>> render_length(90_000), render_length(7_200_000), render_length(1500), render_length(-5000), render_length(0)
    ('90 s', '2 h', '1500 ms', '-5 s', '0 s')
    """
    units = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s"), (1, "ms"))
    if not milliseconds:
        return "0 s"
    return next(f"{milliseconds // size} {unit}" for size, unit in units if milliseconds % size == 0)


def _offset(offset: int) -> str:
    return f", offset {render_length(offset)}" if offset else ""


@dataclass(frozen=True)
class Watermark(PassedOn):
    """Declares that `column` is event time, with a watermark that stays `delay` behind it.

    `delay` is None if the table's expression is neither 'column' nor 'column - INTERVAL'.
    """

    input: Node
    column: str
    delay: int | None
    #: Whether Spark's own watermark follows: an operator of Spark's waits for it, not only the state engine.
    by_spark: bool = field(default=True, compare=False)
    #: The position of its declaration in the table.
    span: Span | None = field(default=None, compare=False)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | {self.column},)

    @property
    def event_times(self) -> frozenset[str]:
        return self.input.event_times | {self.column}

    @property
    def label(self) -> str:
        return f"Watermark(rowtime=[{self.column}], delay=[{render_length(self.delay or 0)}])"


@dataclass(frozen=True)
class Window(SingleInput):
    """A window table function: repeats each row for every window it belongs to, and appends the window's columns.

    `start` and `end` are local times, also where event time is a TIMESTAMP_LTZ; `rowtime` is the window's last
    millisecond, of the type of event time. The columns of a SESSION are known only above its WindowAggregate.
    `by_clock`: `time` is processing time.
    """

    input: Node
    assigner: Assigner
    time: str
    start: str
    end: str
    rowtime: str
    #: The columns that partition a SESSION function; None: the other keys of the group do.
    partition: tuple[str, ...] | None = None
    #: A row without event time fails the job; otherwise it is left out.
    strict: bool = True
    by_clock: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def time_type(self) -> DataType:
        return next(column.type for column in self.input.fields if column.name == self.time)

    @property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @property
    def unique_key(self) -> UniqueKey:
        # A row can be in several windows.
        return None

    @property
    def is_local(self) -> bool:
        """Says whether event time is a TIMESTAMP_LTZ, whose windows follow 'table.local-time-zone'."""
        return isinstance(self.time_type, TimestampLtz)

    @property
    def fields(self) -> tuple[Field, ...]:
        bound = Timestamp(3, nullable=False)
        rowtime = TimestampLtz(3, nullable=False) if self.is_local else bound
        return (*self.input.fields, Field(self.start, bound), Field(self.end, bound), Field(self.rowtime, rowtime))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        return ()

    def columns_needed(self, outputs: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (outputs | {self.time},)

    @property
    def event_times(self) -> frozenset[str]:
        return frozenset() if self.by_clock else frozenset({self.rowtime})

    @property
    def window_columns(self) -> WindowColumns | None:
        bounds = (frozenset({self.start}), frozenset({self.end}), frozenset({self.rowtime}))
        return WindowColumns(self.assigner, *bounds, self.is_local, self.by_clock)

    @property
    def closes(self) -> bool:
        return False

    @property
    def label(self) -> str:
        adds = ", ".join((self.start, self.end, self.rowtime))
        return f"Window(window=[{self.assigner}], time=[{self.time}], adds=[{adds}])"


@dataclass(frozen=True)
class WindowAggregate(Grouped):
    """An aggregate whose keys contain a window: each group is emitted once, when the watermark passes the window's end.

    With `by_clock` it is the clock that passes it. Rows may be retracted from windows that have not ended.
    """

    assigner: Assigner
    #: The keys that hold the window's bounds; `is_local` as in Window.
    starts: frozenset[str]
    ends: frozenset[str]
    rowtimes: frozenset[str]
    is_local: bool
    by_clock: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def changelog(self) -> Changelog:
        return INSERT_ONLY

    @property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys) - self.rowtimes

    @property
    def other_keys(self) -> tuple[str, ...]:
        """Returns the keys that are not columns of the window."""
        return tuple(key for key in self.keys if key not in self.starts | self.ends | self.rowtimes)

    @property
    def event_times(self) -> frozenset[str]:
        return frozenset() if self.by_clock else self.rowtimes

    @property
    def window_columns(self) -> WindowColumns | None:
        return WindowColumns(self.assigner, self.starts, self.ends, self.rowtimes, self.is_local, self.by_clock)

    @property
    def closes(self) -> bool:
        return not self.by_clock

    @property
    def label(self) -> str:
        group = f"window=[{self.assigner}], groupBy=[{', '.join(self.keys)}]"
        return f"WindowAggregate({group}, select=[{self.selected}])"
