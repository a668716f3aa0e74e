"""Finds tables that no INSERT reads or writes: as in Flink, their mistakes do not stop the job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from firesteel.errors import Problem, Severity, Span
from firesteel.plan.resolve.known import Known
from firesteel.sql.statement import Insert, Name


def spare_unused(problems: Iterable[Problem], known: Known) -> tuple[Problem, ...]:
    """Turns the problems of tables that no INSERT needs into warnings."""
    needed = {problem for key in known.used for problem in _of_table(known, key)}
    spared = {problem for key in known.declared if key not in known.used for problem in _of_table(known, key)} - needed
    return tuple(replace(problem, severity=Severity.WARNING) if problem in spared else problem for problem in problems)


def note_used(insert: Insert, known: Known) -> None:
    """Notes the tables and views that an INSERT needs, through its views too, as their names resolve at its position."""
    waiting = [known.catalog.key(insert.target), *_named(insert.query, known)]
    while waiting:
        key = waiting.pop()
        if key in known.used:
            continue
        known.used.add(key)
        view = known.catalog.views.get(key)
        if view is not None:
            waiting += _named(view.query, known)


def _of_table(known: Known, key: str) -> Iterator[Problem]:
    yield from known.declared.get(key, ())
    table = known.catalog.tables.get(key)
    if table is not None:
        yield from table.problems_as_source
        yield from table.problems_as_sink


def _named(query: exp.Expr, known: Known) -> Iterator[str]:
    for table in query.find_all(exp.Table):
        path = tuple(part.name for part in table.parts)
        if path:
            yield known.catalog.key(Name(path[-1], Span(0, 0), path))
