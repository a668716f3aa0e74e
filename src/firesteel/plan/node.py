"""The nodes of a plan. Each knows its columns, its changelog mode and its unique key.

A node's columns have unique names; expressions name the columns of the node's input.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.catalog.table import Table
from firesteel.changelog import INSERT_ONLY, Changelog, RowKind
from firesteel.errors import Span
from firesteel.plan.expression import AggregateCall, ColumnRef, Expression
from firesteel.types import Field

#: A set of columns that no two rows share; None: the node has none. The empty key says that there is one row.
UniqueKey = frozenset[str] | None


@dataclass(frozen=True)
class Scan:
    """Reads the physical and metadata columns of a table; only `fields` of them are decoded."""

    table: Table
    fields: tuple[Field, ...]
    changelog: Changelog
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @property
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
class Project:
    """One expression per output column."""

    input: Node
    fields: tuple[Field, ...]
    expressions: tuple[Expression, ...]
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @property
    def unique_key(self) -> UniqueKey:
        if self.input.unique_key is None:
            return None
        kept: dict[str, str] = {}
        for column, expression in zip(self.fields, self.expressions, strict=True):
            if isinstance(expression, ColumnRef):
                kept.setdefault(expression.name, column.name)
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
class Filter:
    input: Node
    condition: Expression
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @property
    def changelog(self) -> Changelog:
        # A row that was written and no longer passes has to be taken back.
        if self.input.changelog == INSERT_ONLY:
            return INSERT_ONLY
        return self.input.changelog | {RowKind.DELETE}

    @property
    def unique_key(self) -> UniqueKey:
        return self.input.unique_key

    @property
    def label(self) -> str:
        return f"Filter(where=[{self.condition}])"


@dataclass(frozen=True)
class Aggregate:
    """Groups by the input's columns `keys`; output columns are the keys, then one for each call."""

    input: Node
    keys: tuple[str, ...]
    fields: tuple[Field, ...]
    calls: tuple[AggregateCall, ...]
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def changelog(self) -> Changelog:
        return frozenset({RowKind.INSERT, RowKind.UPDATE_AFTER})

    @property
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

    @property
    def changelog(self) -> Changelog:
        return frozenset().union(*(node.changelog for node in self.inputs))

    @property
    def unique_key(self) -> UniqueKey:
        return None

    @property
    def label(self) -> str:
        return f"Union(all=[true], columns=[{_names(self.fields)}])"


@dataclass(frozen=True)
class Sink:
    """Writes its input, whose columns are the table's, in the table's order."""

    input: Node
    table: Table
    span: Span | None = field(default=None, compare=False)

    @property
    def inputs(self) -> tuple[Node, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.input.fields

    @property
    def changelog(self) -> Changelog:
        return self.input.changelog

    @property
    def unique_key(self) -> UniqueKey:
        return self.input.unique_key

    @property
    def label(self) -> str:
        return f"Sink(table=[{self.table.name}], columns=[{_names(self.fields)}])"


Node = Scan | Project | Filter | Aggregate | Union | Sink


def _names(fields: tuple[Field, ...]) -> str:
    return ", ".join(column.name for column in fields)


def scans(node: Node) -> tuple[Scan, ...]:
    """The tables a plan reads, from left to right."""
    if isinstance(node, Scan):
        return (node,)
    return tuple(scan for child in node.inputs for scan in scans(child))
