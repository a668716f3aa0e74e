"""Checks metadata columns against the keys of the connector and the value format."""

from __future__ import annotations

from typing import Any

from firesteel.catalog.cast import explicit_cast
from firesteel.catalog.table import Column, Metadata
from firesteel.catalog.with_clause.resolve import TableOptions
from firesteel.errors import Problem
from firesteel.options.kind import quoted
from firesteel.options.metadata import MetadataKey, Write
from firesteel.options.option import Option
from firesteel.options.spelling import nearest
from firesteel.types import DataType


def metadata_keys(table: TableOptions) -> dict[str, MetadataKey]:
    """Returns the keys by the name that METADATA FROM uses: those of the format begin with `value.`."""
    keys = {key.key: key for key in (table.spec.metadata if table.spec else ())}
    if table.value_format is not None and table.value_format.spec is not None:
        keys |= {f"value.{key.key}": key for key in table.value_format.spec.metadata}
    return keys


def _is_known(table: TableOptions) -> bool:
    """Checks whether the table's metadata keys are known."""
    if table.spec is None or not table.spec.needs_format:
        return table.spec is not None
    return table.value_format is not None and table.value_format.spec is not None


def _several_places(table: TableOptions) -> Option[Any] | None:
    """Returns the option that names several topics, in which case each row has to name its own."""
    return table.spec.several_places(table.scope) if table.spec is not None else None


def check_metadata_as_source(table: TableOptions, columns: tuple[Column, ...]) -> list[Problem]:
    """Checks all metadata columns, which are all read, VIRTUAL or not."""
    keys = metadata_keys(table)
    if not _is_known(table):
        return []
    problems: list[Problem] = []
    for column in (column for column in columns if isinstance(column, Metadata)):
        known = keys.get(column.key)
        if known is None:
            problems.append(_unknown(column, list(keys), "does not have"))
        elif not explicit_cast(known.type, column.type):
            reason = f"'{column.key}' is {known.type.sql}, which cannot become it"
            problems.append(_bad_type(column, known.type, reason))
    return problems


def check_metadata_as_sink(table: TableOptions, columns: tuple[Column, ...]) -> list[Problem]:
    """Checks the metadata columns that are written, which are those without VIRTUAL."""
    keys = metadata_keys(table)
    if not _is_known(table):
        return []
    several = _several_places(table)
    many = several is not None
    problems: list[Problem] = []
    written = [column for column in columns if isinstance(column, Metadata) and not column.virtual]
    for column in written:
        known = keys.get(column.key)
        if known is None:
            writable = [name for name, key in keys.items() if _is_writable(key, many)]
            problems.append(_unknown(column, writable, "cannot take"))
        elif not _is_writable(known, many):
            reason = (
                "written only when the table has several topics" if known.write is Write.SEVERAL_TOPICS else "read-only"
            )
            problems.append(
                Problem(
                    f"'{column.name}' is the metadata '{column.key}', which is {reason}.",
                    column.span,
                    f"Add VIRTUAL to '{column.name}': it then takes no part in an INSERT.",
                )
            )
        elif not explicit_cast(column.type, known.type):
            problems.append(_bad_type(column, known.type, f"it cannot become '{column.key}', {known.type.sql}"))
    names = {column.key: column for column in written}
    if "headers" in names and "header-list" in names:
        problems.append(
            Problem(
                f"'{names['header-list'].name}' and '{names['headers'].name}' both write the headers.",
                names["header-list"].span,
                "Add VIRTUAL to one of them.",
            )
        )
    if several is not None and "topic" not in names:
        problems.append(
            Problem(
                f"{table.scope.name(several)} names several topics, and no column says which one a row goes to.",
                table.scope.where(several),
                "Name one topic, or add a column that chooses: target STRING METADATA FROM 'topic'.",
            )
        )
    return problems


def _is_writable(key: MetadataKey, many_topics: bool) -> bool:
    return key.write is Write.ALWAYS or (key.write is Write.SEVERAL_TOPICS and many_topics)


def _unknown(column: Metadata, keys: list[str], lacks: str) -> Problem:
    close = nearest(column.key, keys, 0.6)
    rest = f"There is {quoted(keys)}." if keys else "Such a table has no metadata: remove the column."
    hint = f"Write METADATA FROM '{close}'." if close else rest
    return Problem(f"'{column.name}' is the metadata '{column.key}', which this table {lacks}.", column.span, hint)


def _bad_type(column: Metadata, wanted: DataType, reason: str) -> Problem:
    return Problem(
        f"'{column.name}' is {column.type.sql}, but {reason}.", column.span, f"Declare '{column.name}' as {wanted.sql}."
    )
