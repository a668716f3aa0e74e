"""Resolves and checks the columns, the primary key and the watermark of a CREATE TABLE."""

from __future__ import annotations

from firesteel.catalog.table import Column, Computed, Metadata, Physical, Watermark
from firesteel.errors import Problem
from firesteel.options.spelling import nearest
from firesteel.sql import statement as syntax
from firesteel.types import Timestamp, TimestampLtz


def resolve_columns(statement: syntax.CreateTable, problems: list[Problem]) -> tuple[Column, ...]:
    columns: dict[str, Column] = {}
    for definition in statement.columns:
        name, span = definition.name.text, definition.name.span
        if name in columns:
            problems.append(Problem(f"The column '{name}' is declared twice.", span, "Rename one of them."))
            continue
        match definition:
            case syntax.PhysicalColumn():
                columns[name] = Physical(name, definition.type, span, definition.comment)
            case syntax.ComputedColumn():
                columns[name] = Computed(name, definition.expression, span, definition.comment)
            case syntax.MetadataColumn():
                key = definition.key.value if definition.key else name
                columns[name] = Metadata(name, definition.type, key, definition.virtual, span, definition.comment)
    return tuple(columns.values())


def resolve_primary_key(
    primary_key: syntax.PrimaryKey | None, columns: tuple[Column, ...], problems: list[Problem]
) -> tuple[tuple[str, ...], tuple[Column, ...]]:
    """Returns the key's columns, and all columns, in which those of the key are NOT NULL as in Flink."""
    if primary_key is None:
        return (), columns
    if primary_key.enforced:
        problems.append(
            Problem(
                "The PRIMARY KEY is ENFORCED, which nobody can do for a Kafka topic.",
                primary_key.span,
                "Write PRIMARY KEY (…) NOT ENFORCED.",
            )
        )
    by_name = {column.name: column for column in columns}
    key: list[str] = []
    for name in primary_key.columns:
        column = by_name.get(name.text)
        if column is None:
            problems.append(
                Problem(
                    f"'{name.text}' in the PRIMARY KEY is not a column of the table.",
                    name.span,
                    suggest_column(name.text, by_name),
                )
            )
        elif not isinstance(column, Physical):
            kind = "computed" if isinstance(column, Computed) else "metadata"
            problems.append(
                Problem(
                    f"'{name.text}' in the PRIMARY KEY is a {kind} column, and the key needs physical ones.",
                    name.span,
                    "Declare it with a type alone, or leave it out of the key.",
                )
            )
        elif name.text in key:
            problems.append(Problem(f"'{name.text}' is in the PRIMARY KEY twice.", name.span, "Write it once."))
        else:
            key.append(name.text)
    made_not_null = tuple(
        Physical(column.name, column.type.not_null(), column.span, column.comment)
        if isinstance(column, Physical) and column.name in key
        else column
        for column in columns
    )
    return tuple(key), made_not_null


def resolve_watermark(
    watermarks: tuple[syntax.Watermark, ...], columns: tuple[Column, ...], problems: list[Problem]
) -> Watermark | None:
    for extra in watermarks[1:]:
        problems.append(
            Problem("The table has a second WATERMARK.", extra.span, "Keep one: a table has one event time.")
        )
    if not watermarks:
        return None
    watermark = watermarks[0]
    path = watermark.column.path or (watermark.column.text,)
    by_name = {column.name: column for column in columns}
    column = by_name.get(path[0])
    if column is None:
        problems.append(
            Problem(
                f"'{path[0]}' in the WATERMARK is not a column of the table.",
                watermark.column.span,
                suggest_column(path[0], by_name),
            )
        )
        return None
    if len(path) == 1 and not isinstance(column, Computed) and not isinstance(column.type, (Timestamp, TimestampLtz)):
        problems.append(
            Problem(
                f"'{column.name}' in the WATERMARK is {column.type.sql}, and event time is TIMESTAMP or TIMESTAMP_LTZ.",
                watermark.column.span,
                "Add a computed column that makes a timestamp of it, such as "
                f"'t AS TO_TIMESTAMP_LTZ({column.name}, 3)', and put the WATERMARK on that.",
            )
        )
        return None
    return Watermark(".".join(path), watermark.expression, watermark.span)


def suggest_column(name: str, known: dict[str, Column]) -> str:
    close = nearest(name, known, 0.6)
    return f"Write '{close}'." if close else f"The columns are {', '.join(known) or 'none'}."
