"""Defines the statements of a script as written: names and texts with their positions, no name resolved.

Expressions and queries are sqlglot trees; `span_of` (`sql/node.py`) gives the position of a node.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from firesteel.errors import Span
from firesteel.types import DataType


@dataclass(frozen=True)
class Name:
    """An identifier without its back-ticks; of a path such as `a.b.c` the last part, with `path` holding all."""

    text: str
    span: Span
    path: tuple[str, ...] = ()

    @property
    def written(self) -> str:
        """Return the name with its catalog and database, where it has them."""
        return ".".join(self.path) or self.text


@dataclass(frozen=True)
class Text:
    """A string literal: its value without quotes, the span with them."""

    value: str
    span: Span


@dataclass(frozen=True)
class OptionEntry:
    """One `'key' = 'value'` of a WITH clause or an OPTIONS hint."""

    key: Text
    value: Text


@dataclass(frozen=True)
class PhysicalColumn:
    name: Name
    type: DataType
    comment: str | None = None


@dataclass(frozen=True)
class ComputedColumn:
    """`name AS expression`."""

    name: Name
    expression: exp.Expression
    comment: str | None = None


@dataclass(frozen=True)
class MetadataColumn:
    """`name TYPE METADATA [FROM 'key'] [VIRTUAL]`."""

    name: Name
    type: DataType
    key: Text | None = None
    virtual: bool = False
    comment: str | None = None


ColumnDefinition = PhysicalColumn | ComputedColumn | MetadataColumn


@dataclass(frozen=True)
class PrimaryKey:
    """A primary key. `enforced` is as written; the catalog refuses any but NOT ENFORCED."""

    columns: tuple[Name, ...]
    span: Span
    enforced: bool = False


@dataclass(frozen=True)
class Watermark:
    column: Name
    expression: exp.Expression
    span: Span


@dataclass(frozen=True)
class Like:
    """`LIKE table (INCLUDING ALL, EXCLUDING OPTIONS, …)`; features are (verb, what) in upper case."""

    table: Name
    features: tuple[tuple[str, str], ...]
    span: Span


@dataclass(frozen=True)
class Distribution:
    """`DISTRIBUTED BY [HASH] (columns) INTO n BUCKETS`, without columns if only buckets are named."""

    columns: tuple[Name, ...]
    span: Span


@dataclass(frozen=True)
class CreateTable:
    span: Span
    name: Name
    columns: tuple[ColumnDefinition, ...]
    options: tuple[OptionEntry, ...]
    primary_key: PrimaryKey | None = None
    watermarks: tuple[Watermark, ...] = ()
    comment: str | None = None
    like: Like | None = None
    temporary: bool = False
    if_not_exists: bool = False
    partitioned: Name | None = None
    distributed: Distribution | None = None


@dataclass(frozen=True)
class CreateView:
    span: Span
    name: Name
    columns: tuple[Name, ...]
    query: exp.Query
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateFunction:
    span: Span
    name: Name
    target: Text
    language: str
    temporary: bool = False
    if_not_exists: bool = False


@dataclass(frozen=True)
class Insert:
    """`INSERT INTO target [(columns)] query`. `VALUES` is a query too.

    `on_conflict` is the ERROR, NOTHING or DEDUPLICATE of `ON CONFLICT DO …`.
    """

    span: Span
    target: Name
    query: exp.Query
    columns: tuple[Name, ...] = ()
    overwrite: bool = False
    hints: tuple[OptionEntry, ...] = ()
    on_conflict: Name | None = None


@dataclass(frozen=True)
class StatementSet:
    """`EXECUTE STATEMENT SET BEGIN … END`."""

    span: Span
    inserts: tuple[Insert, ...]


@dataclass(frozen=True)
class Query:
    """A SELECT that stands alone."""

    span: Span
    query: exp.Query


@dataclass(frozen=True)
class Set:
    """`SET 'key' = 'value'` or `SET key = value`; `SET` alone lists the settings."""

    span: Span
    key: Text | None = None
    value: Text | None = None


@dataclass(frozen=True)
class Reset:
    span: Span
    key: Text | None = None


@dataclass(frozen=True)
class Drop:
    """`kind` is TABLE, VIEW, FUNCTION, DATABASE or CATALOG."""

    span: Span
    kind: str
    name: Name
    if_exists: bool = False


@dataclass(frozen=True)
class Show:
    """`what` is TABLES, VIEWS, FUNCTIONS, DATABASES, CATALOGS, COLUMNS, CREATE TABLE or CREATE VIEW."""

    span: Span
    what: str
    name: Name | None = None


@dataclass(frozen=True)
class Describe:
    span: Span
    name: Name


@dataclass(frozen=True)
class Explain:
    span: Span
    statement: Insert | StatementSet | Query


@dataclass(frozen=True)
class Use:
    """`USE database` and `USE CATALOG catalog`."""

    span: Span
    name: Name
    catalog: bool = False


@dataclass(frozen=True)
class Client:
    """`QUIT`, `EXIT`, `CLEAR` or `HELP`, commands of an interactive SQL client."""

    span: Span
    word: str

    @property
    def ends(self) -> bool:
        """Check whether the client reads no further statement."""
        return self.word in ("QUIT", "EXIT")


Statement = (
    Client
    | CreateTable
    | CreateView
    | CreateFunction
    | Insert
    | StatementSet
    | Query
    | Set
    | Reset
    | Drop
    | Show
    | Describe
    | Explain
    | Use
)


@dataclass(frozen=True)
class Refused:
    """The object of a CREATE with a mistake; `kind` is TABLE, VIEW, FUNCTION, … or the word in its position."""

    kind: str
    name: Name


@dataclass(frozen=True)
class Script:
    """A script. Names in `refused` are not reported as unknown: that would be a second message for one mistake."""

    statements: tuple[Statement, ...]
    refused: tuple[Refused, ...] = ()
