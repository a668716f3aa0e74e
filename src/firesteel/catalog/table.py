"""A table as all other packages see it: a schema, typed options, and formats bound to their columns.

Everything here is frozen and picklable: the same objects are sent to Spark's workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firesteel.errors import Problem, Span
from firesteel.formats.bound import BoundFormat
from firesteel.options.legacy import UPDATE_MODE, UpdateMode
from firesteel.options.value import OptionValues
from firesteel.types import DataType

if TYPE_CHECKING:
    # Imported for annotations only: workers that decode messages need no SQL parser.
    from sqlglot import exp


@dataclass(frozen=True)
class Physical:
    name: str
    type: DataType
    span: Span
    comment: str | None = None


@dataclass(frozen=True)
class Computed:
    """A computed column. Its expression is still syntax; the plan resolves it against the table's other columns."""

    name: str
    expression: exp.Expression
    span: Span
    comment: str | None = None


@dataclass(frozen=True)
class Metadata:
    name: str
    type: DataType
    key: str
    virtual: bool
    span: Span
    comment: str | None = None


Column = Physical | Computed | Metadata


@dataclass(frozen=True)
class Watermark:
    """A watermark. `column` may be a nested path; the plan resolves the expression."""

    column: str
    expression: exp.Expression
    span: Span


@dataclass(frozen=True)
class Table:
    """A table. `connector` is the one whose behaviour it has: DLI's `kafka` with `update-mode` = `upsert` is an
    `upsert-kafka` table.
    """

    name: str
    connector: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    watermark: Watermark | None
    options: OptionValues
    key_format: BoundFormat | None
    value_format: BoundFormat
    span: Span
    comment: str | None = None
    #: Problems that the table has only when it is read, and only when it is written.
    problems_as_source: tuple[Problem, ...] = ()
    problems_as_sink: tuple[Problem, ...] = ()
    #: Whether its columns have no errors. Otherwise a query over them is not checked, since its errors could be wrong.
    sound: bool = True

    @property
    def update_mode(self) -> UpdateMode | None:
        """Returns DLI's `update-mode`; None if the connector and the format imply it."""
        return self.options.get(UPDATE_MODE)

    @property
    def physical(self) -> tuple[Physical, ...]:
        return tuple(column for column in self.columns if isinstance(column, Physical))

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)
