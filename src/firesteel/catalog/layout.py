"""Checks PARTITIONED BY and DISTRIBUTED BY of a table in Kafka."""

from __future__ import annotations

from firesteel.errors import Problem, Severity
from firesteel.sql.statement import CreateTable


def check_layout(statement: CreateTable, key: tuple[str, ...]) -> list[Problem]:
    """Checks the clauses. `key` are the columns of the message key."""
    problems: list[Problem] = []
    if statement.partitioned is not None:
        problems.append(
            Problem(
                "'PARTITIONED BY' has no meaning for a Kafka table.",
                statement.partitioned.span,
                "Leave it out: the topic has its own partitions.",
            )
        )
    distributed = statement.distributed
    if distributed is None:
        return problems
    columns = tuple(column.text for column in distributed.columns)
    if not columns or columns == key:
        problems.append(
            Problem(
                "'DISTRIBUTED' has no effect here: the topic has its own partitions.",
                distributed.span,
                "Remove it.",
                Severity.WARNING,
            )
        )
    else:
        listed = ";".join(columns)
        problems.append(
            Problem(
                f"'DISTRIBUTED BY ({', '.join(columns)})' makes another message key than the table's options.",
                distributed.span,
                f"Write 'key.format', and 'key.fields' = '{listed}', instead.",
            )
        )
    return problems
