"""A sink's rows in the types of its columns, without what these do not hold."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog.hidden import CODES
from firesteel.changelog.kind import RowKind
from firesteel.errors import JobError
from firesteel.formats.arrow_type import arrow_schema
from firesteel.types import BINARY, CHARACTER, MAX_LENGTH, Binary, Char, Field


class Columns(Protocol):
    """What a sink says of its columns."""

    @property
    def table(self) -> str: ...

    @property
    def fields(self) -> tuple[Field, ...]: ...

    @property
    def drop_nulls(self) -> bool: ...

    @property
    def check_lengths(self) -> bool: ...


C = TypeVar("C", bound=Columns)


class CheckedRows(Generic[C]):
    """`key_columns`: of a row that goes nothing else is written."""

    def __init__(self, spec: C, key_columns: tuple[str, ...] = ()) -> None:
        self.spec = spec
        self._schema = arrow_schema(spec.fields)
        self._key_columns = frozenset(key_columns)

    def checked(self, batch: pa.RecordBatch, kinds: pa.Array | None) -> tuple[pa.RecordBatch, pa.Array | None]:
        """The rows, and what they mean in a changelog."""
        rows, kinds = self._enforce_not_null(self._typed(batch), kinds)
        if self.spec.check_lengths:
            self._check_lengths(rows)
        return rows, kinds

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = batch.select([field.name for field in self.spec.fields])
        return rows if rows.schema == self._schema else rows.cast(self._schema)

    def _check_lengths(self, rows: pa.RecordBatch) -> None:
        for field in self.spec.fields:
            wanted = field.type
            if not isinstance(wanted, (*CHARACTER, *BINARY)) or wanted.length == MAX_LENGTH:
                continue
            column = rows.column(field.name)
            lengths = pc.utf8_length(column) if isinstance(wanted, CHARACTER) else pc.binary_length(column)
            wrong = pc.not_equal if isinstance(wanted, (Char, Binary)) else pc.greater
            if pc.any(wrong(lengths, wanted.length)).as_py():
                raise JobError(
                    f"The column '{field.name}' of '{self.spec.table}' is of type {wanted.sql} and a row has a value of"
                    " another length in it.",
                    hint="Cut it in the query, or SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'.",
                )

    def _enforce_not_null(self, rows: pa.RecordBatch, kinds: pa.Array | None) -> tuple[pa.RecordBatch, pa.Array | None]:
        for field in self.spec.fields:
            if field.type.nullable:
                continue
            column = rows.column(field.name)
            missing = pc.is_null(column)
            if self._key_columns and kinds is not None and field.name not in self._key_columns:
                # A tombstone carries its key and nothing else.
                missing = pc.and_(missing, pc.not_equal(kinds, CODES[RowKind.DELETE]))
            if not pc.any(missing).as_py():
                continue
            if not self.spec.drop_nulls:
                raise JobError(
                    f"The column '{field.name}' of '{self.spec.table}' is NOT NULL and a row has NULL in it.",
                    hint="Filter such rows out, or SET 'table.exec.sink.not-null-enforcer' = 'DROP' to drop them.",
                )
            kept = pc.invert(missing)
            rows = rows.filter(kept)
            kinds = kinds.filter(kept) if kinds is not None else None
        return rows, kinds
