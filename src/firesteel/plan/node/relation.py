"""The nodes of a plan. Each knows its columns, its changelog mode and its unique key.

A node's columns have unique names; expressions name the columns of the node's input.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from firesteel.catalog.table import Table
from firesteel.changelog.kind import ALL, INSERT_ONLY, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import AggregateCall, ColumnRef, Expression, told_column
from firesteel.plan.node.join_kind import JoinKind, paired_fields
from firesteel.plan.node.property import KeylessInserts, PassedOn, SingleInput
from firesteel.plan.node.time_join import TimeJoin
from firesteel.plan.node.window import Watermark, Window, WindowAggregate
from firesteel.types import Field

#: A set of columns that no two rows share; None: the node has none. The empty key says that there is one row.
UniqueKey = frozenset[str] | None


#: Of how many rows a plan shows the values.
_SHOWN_ROWS = 3


@dataclass(frozen=True)
class Scan:
    """Reads the physical and metadata columns of a table; only `fields` of them are decoded."""

    table: Table
    fields: tuple[Field, ...]
    changelog: Changelog
    #: Each row carries its place in the order of arrival: somebody above asks which row came first.
    ordered: bool = field(default=False, compare=False)
    #: Combine equal rows into one with a count; the operators above need no more.
    weighed: bool = field(default=False, compare=False)
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @cached_property
    def unique_key(self) -> UniqueKey:
        names = {column.name for column in self.fields}
        return (
            frozenset(self.table.primary_key)
            if self.table.primary_key and names.issuperset(self.table.primary_key)
            else None
        )

    @property
    def label(self) -> str:
        return f"Scan(table=[{self.table.name}], columns=[{_names(self.fields)}])"


@dataclass(frozen=True)
class Values(KeylessInserts):
    """Rows that the script itself holds. They come once."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Expression, ...], ...]
    #: As in `Scan`.
    ordered: bool = field(default=False, compare=False)
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @property
    def label(self) -> str:
        rows = ", ".join(f"({', '.join(map(str, row))})" for row in self.rows[:_SHOWN_ROWS])
        more = ", …" if len(self.rows) > _SHOWN_ROWS else ""
        return f"Values(rows=[{rows}{more}], columns=[{_names(self.fields)}])"


@dataclass(frozen=True)
class Normalize:
    """Remembers the last row of each key of an upsert topic, so that the old row can be said with every change."""

    input: Scan
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.input.table.primary_key

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @cached_property
    def changelog(self) -> Changelog:
        return ALL

    @cached_property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys)

    @property
    def label(self) -> str:
        return f"Normalize(key=[{', '.join(self.keys)}])"


@dataclass(frozen=True)
class Project(SingleInput):
    """One expression per output column."""

    input: Node
    fields: tuple[Field, ...]
    expressions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.input.unique_key is None:
            return None
        kept: dict[str, str] = {}
        for column, expression in zip(self.fields, self.expressions, strict=True):
            told = told_column(expression)
            if told is not None:
                kept.setdefault(told.name, column.name)
        if not self.input.unique_key.issubset(kept):
            return None
        return frozenset(kept[name] for name in self.input.unique_key)

    @property
    def label(self) -> str:
        select = ", ".join(
            column.name
            if isinstance(expression, ColumnRef) and expression.name == column.name
            else f"{expression} AS {column.name}"
            for column, expression in zip(self.fields, self.expressions, strict=True)
        )
        return f"Project(select=[{select}])"


@dataclass(frozen=True)
class Filter(SingleInput):
    input: Node
    condition: Expression
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @cached_property
    def changelog(self) -> Changelog:
        # A row that was written and no longer passes has to be taken back.
        if self.input.changelog == INSERT_ONLY:
            return INSERT_ONLY
        return self.input.changelog | {RowKind.DELETE}

    @cached_property
    def unique_key(self) -> UniqueKey:
        return self.input.unique_key

    @property
    def label(self) -> str:
        return f"Filter(where=[{self.condition}])"


@dataclass(frozen=True)
class Aggregate(SingleInput):
    """Groups by the input's columns `keys`; output columns are the keys, then one for each call.

    `old_rows`: with every change the row that was valid before it is given too.
    """

    input: Node
    keys: tuple[str, ...]
    fields: tuple[Field, ...]
    calls: tuple[AggregateCall, ...]
    old_rows: bool = False
    span: Span | None = field(default=None, compare=False)

    @property
    def retracts(self) -> bool:
        """Whether rows are taken out of groups again."""
        return self.input.changelog != INSERT_ONLY

    @cached_property
    def changelog(self) -> Changelog:
        kinds = {RowKind.INSERT, RowKind.UPDATE_AFTER}
        if self.old_rows:
            kinds.add(RowKind.UPDATE_BEFORE)
        if self.retracts:
            kinds.add(RowKind.DELETE)
        return frozenset(kinds)

    @cached_property
    def unique_key(self) -> UniqueKey:
        return frozenset(self.keys)

    @property
    def label(self) -> str:
        outputs = self.fields[len(self.keys) :]
        select = ", ".join(
            [*self.keys, *(f"{call} AS {column.name}" for call, column in zip(self.calls, outputs, strict=True))]
        )
        return f"Aggregate(groupBy=[{', '.join(self.keys)}], select=[{select}])"


@dataclass(frozen=True)
class Union:
    """UNION ALL: the columns are those of the first input, matched by position."""

    inputs: tuple[Node, ...]
    fields: tuple[Field, ...]
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def changelog(self) -> Changelog:
        return frozenset().union(*(node.changelog for node in self.inputs))

    @cached_property
    def unique_key(self) -> UniqueKey:
        return None

    @property
    def label(self) -> str:
        return f"Union(all=[true], columns=[{_names(self.fields)}])"


@dataclass(frozen=True)
class Join:
    """Pairs of rows whose keys are equal. The columns of the two sides have different names."""

    left: Node
    right: Node
    kind: JoinKind
    #: Pairs of an expression over the left side and one over the right, both of one type.
    keys: tuple[tuple[Expression, Expression], ...]
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.left, self.right)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return paired_fields(self.kind, self.left.fields, self.right.fields)

    @cached_property
    def changelog(self) -> Changelog:
        # A row without a partner may get one, and is taken back then.
        outer = self.kind in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL, JoinKind.ANTI)
        appends = all(side.changelog == INSERT_ONLY for side in self.inputs)
        return INSERT_ONLY if appends and not outer else ALL

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.kind.keeps_left:
            return self.left.unique_key
        if self.left.unique_key is None or self.right.unique_key is None:
            return None
        # One partner at most: then the other side's key tells the pairs apart.
        if self._covers(1, self.right.unique_key) and self.kind in (JoinKind.INNER, JoinKind.LEFT):
            return self.left.unique_key
        if self._covers(0, self.left.unique_key) and self.kind in (JoinKind.INNER, JoinKind.RIGHT):
            return self.right.unique_key
        return self.left.unique_key | self.right.unique_key if self.kind is JoinKind.INNER else None

    def _covers(self, side: int, key: frozenset[str]) -> bool:
        return key.issubset(one.name for one in (pair[side] for pair in self.keys) if isinstance(one, ColumnRef))

    @property
    def label(self) -> str:
        on = ", ".join(f"{left} = {right}" for left, right in self.keys)
        return f"Join(kind=[{self.kind.value}], on=[{on}])"


@dataclass(frozen=True)
class Ordering:
    """A column to order by. NULL is the smallest value where the query does not say otherwise."""

    column: str
    descending: bool
    nulls_first: bool

    def __str__(self) -> str:
        usual = self.nulls_first != self.descending
        nulls = "" if usual else f" NULLS {'FIRST' if self.nulls_first else 'LAST'}"
        return f"{self.column} {'DESC' if self.descending else 'ASC'}{nulls}"


@dataclass(frozen=True)
class Rank(SingleInput):
    """The rows of each partition that stand at the places `first` to `last` of an order.

    `number` is the column with a row's place, None where nobody reads it; `last` is None until a filter says it.
    `by_time`: the order is one of time, which makes the first row of a partition final.
    """

    input: Node
    partition: tuple[str, ...]
    order: tuple[Ordering, ...]
    number: Field | None
    first: int = 1
    last: int | None = None
    by_time: bool = False
    old_rows: bool = False
    #: The partition's column that holds a window's end: the rows come when it closes. `window_is_local` as in Window.
    window_end: str | None = None
    window_is_local: bool = False
    #: What the query says for it.
    clause: str = field(default="ROW_NUMBER()", compare=False)
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields if self.number is None else (*self.input.fields, self.number)

    @property
    def keeps_first(self) -> bool:
        """The first row of each partition: once written, it stays."""
        return self.by_time and self.last == 1 and not any(column.descending for column in self.order)

    @property
    def keeps_last(self) -> bool:
        return self.by_time and self.last == 1 and all(column.descending for column in self.order)

    @cached_property
    def changelog(self) -> Changelog:
        if self.keeps_first or self.window_end is not None:
            return INSERT_ONLY
        if self.by_place and not self.old_rows:
            return frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER})
        return ALL

    @property
    def by_place(self) -> bool:
        """Whether a place has one row: then a row that takes another's place is an update."""
        return self.number is not None or self.last == self.first

    @cached_property
    def unique_key(self) -> UniqueKey:
        if self.last == self.first:
            return frozenset(self.partition)
        return None if self.number is None else frozenset({*self.partition, self.number.name})

    @property
    def label(self) -> str:
        places = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last or 'end'}"
        number = f", number=[{self.number.name}]" if self.number else ""
        order = ", ".join(map(str, self.order))
        name = "Rank" if self.window_end is None else "WindowRank"
        return f"{name}(places=[{places}], partitionBy=[{', '.join(self.partition)}], orderBy=[{order}]{number})"


@dataclass(frozen=True)
class Unnest(SingleInput):
    """Each row once for every element of a collection; `elements` are the columns an element gives.

    `outer`: a row whose collection is empty or NULL stays, with NULLs.
    """

    input: Node
    collection: Expression
    elements: tuple[Field, ...]
    ordinality: bool = False
    outer: bool = False
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return (*self.input.fields, *self.elements)

    @cached_property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @cached_property
    def unique_key(self) -> UniqueKey:
        return None

    @property
    def label(self) -> str:
        kind = "outer, " if self.outer else ""
        return f"Unnest({kind}collection=[{self.collection}], elements=[{_names(self.elements)}])"


@dataclass(frozen=True)
class Sink(PassedOn):
    """Writes its input, whose columns are the table's, in the table's order."""

    input: Node
    table: Table
    span: Span | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        return f"Sink(table=[{self.table.name}], columns=[{_names(self.fields)}])"


Node = (
    Scan
    | Values
    | Normalize
    | Watermark
    | Project
    | Filter
    | Aggregate
    | Union
    | Join
    | TimeJoin
    | Rank
    | Unnest
    | Window
    | WindowAggregate
    | Sink
)


def _names(fields: tuple[Field, ...]) -> str:
    return ", ".join(column.name for column in fields)


def scans(node: Node) -> tuple[Scan, ...]:
    """The tables a plan reads, from left to right."""
    if isinstance(node, Scan):
        return (node,)
    return tuple(scan for child in node.inputs for scan in scans(child))


def map_inputs(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node over changed inputs. A Normalize belongs to its Scan, and has none that could be another."""
    match node:
        case Scan() | Values() | Normalize():
            return node
        case Union():
            return replace(node, inputs=tuple(change(child) for child in node.inputs))
        case Join() | TimeJoin():
            return replace(node, left=change(node.left), right=change(node.right))
        case _:
            return replace(node, input=change(node.input))
