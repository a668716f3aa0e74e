"""Casts a sink's rows to the types of its columns, and refuses or drops what these do not hold."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog.hidden import CODES
from firesteel.changelog.kind import RowKind
from firesteel.errors import JobError
from firesteel.formats.arrow_type import arrow_schema
from firesteel.types import BINARY, CHARACTER, MAX_LENGTH, Binary, Char, Field


@dataclass(frozen=True)
class SinkColumns:
    """The columns of a sink, and what happens to a value that they do not hold: with `drop_nulls` a row with NULL in a NOT NULL column
    is dropped, else it stops the job; with `check_lengths` text and bytes of another length stop it too.
    """

    table: str
    fields: tuple[Field, ...]
    drop_nulls: bool = False
    check_lengths: bool = False


class CheckedRows:
    """Casts and checks the rows of one task. `key_columns`: of a row that is deleted nothing else is written."""

    def __init__(self, columns: SinkColumns, key_columns: tuple[str, ...] = ()) -> None:
        self.columns = columns
        self._schema = arrow_schema(columns.fields)
        self._key_columns = frozenset(key_columns)

    def checked(self, batch: pa.RecordBatch, kinds: pa.Array | None) -> tuple[pa.RecordBatch, pa.Array | None]:
        """Gives the rows, and what they mean in a changelog."""
        rows, kinds = self._enforce_not_null(self._typed(batch), kinds)
        if self.columns.check_lengths:
            self._check_lengths(rows)
        return rows, kinds

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows = batch.select([field.name for field in self.columns.fields])
        return rows if rows.schema == self._schema else rows.cast(self._schema)

    def _check_lengths(self, rows: pa.RecordBatch) -> None:
        for field in self.columns.fields:
            wanted = field.type
            if not isinstance(wanted, (*CHARACTER, *BINARY)) or wanted.length == MAX_LENGTH:
                continue
            column = rows.column(field.name)
            lengths = pc.utf8_length(column) if isinstance(wanted, CHARACTER) else pc.binary_length(column)
            wrong = pc.not_equal if isinstance(wanted, (Char, Binary)) else pc.greater
            if pc.any(wrong(lengths, wanted.length)).as_py():
                raise JobError(
                    f"The column '{field.name}' of '{self.columns.table}' is of type {wanted.sql} and a row has a value of"
                    " another length in it.",
                    hint="Cut it in the query, or SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD'.",
                )

    def _enforce_not_null(self, rows: pa.RecordBatch, kinds: pa.Array | None) -> tuple[pa.RecordBatch, pa.Array | None]:
        for field in self.columns.fields:
            if field.type.nullable:
                continue
            column = rows.column(field.name)
            missing = pc.is_null(column)
            if self._key_columns and kinds is not None and field.name not in self._key_columns:
                # A tombstone carries its key and nothing else.
                missing = pc.and_(missing, pc.not_equal(kinds, CODES[RowKind.DELETE]))
            if not pc.any(missing).as_py():
                continue
            if not self.columns.drop_nulls:
                raise JobError(
                    f"The column '{field.name}' of '{self.columns.table}' is NOT NULL and a row has NULL in it.",
                    hint="Filter such rows out, or SET 'table.exec.sink.not-null-enforcer' = 'DROP' to drop them.",
                )
            kept = pc.invert(missing)
            rows = rows.filter(kept)
            kinds = kinds.filter(kept) if kinds is not None else None
        return rows, kinds
