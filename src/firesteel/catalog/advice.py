"""Warns about tables that are legal but may not do what their author wants. Each warning gives its reason."""

from __future__ import annotations

from firesteel.catalog.table import Column, Physical
from firesteel.catalog.with_clause.resolve import TableOptions
from firesteel.errors import Problem, Severity, Span
from firesteel.options.option import Side
from firesteel.types import Array, DataType, Map, Row, Time, Timestamp, TimestampLtz


def advise(table: TableOptions, side: Side) -> list[Problem]:
    """Returns the connector's warnings for a table that is read, or written."""
    spec = table.spec
    if spec is None:
        return []
    advice = spec.advise_source if side is Side.SOURCE else spec.advise_sink
    return advice(table.scope) if advice is not None else []


def advise_legacy(table: TableOptions, columns: tuple[Column, ...]) -> list[Problem]:
    """Warns about what a table of an old dialect does not say."""
    physical = [column for column in columns if isinstance(column, Physical)]
    problems: list[Problem] = []
    written_as_text = any(_has_time(column.type) for column in physical)
    if (
        table.flink_1_10 is None
        and table.value_format is not None
        and table.value_format.spec is not None
        and table.value_format.spec.legacy is not None
        and written_as_text
    ):
        problems.append(
            _warning(
                "Timestamps are read and written as '2026-01-01 10:00:00', as for Huawei DLI. Flink 1.10 has"
                " '2026-01-01T10:00:00Z'.",
                table.value_format.span,
                "Write 'connector.version' = 'universal' for a table of Flink 1.10.",
            )
        )
    return problems


def _has_time(data_type: DataType) -> bool:
    match data_type:
        case Time() | Timestamp() | TimestampLtz():
            return True
        case Array(element=element):
            return _has_time(element)
        case Map(value=value):
            return _has_time(value)
        case Row(fields=fields):
            return any(_has_time(field.type) for field in fields)
    return False


def _warning(message: str, span: Span | None, hint: str) -> Problem:
    return Problem(message, span, hint, Severity.WARNING)
