"""Reports settings of a job that have no effect or are not supported yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firesteel.errors import Problem, Severity
from firesteel.options.setting import CDC_EVENTS_DUPLICATE, STATE_BACKEND_TYPE, StateBackend
from firesteel.plan.fact.keyed import uses_engine
from firesteel.plan.node.relation import Sink, scans
from firesteel.plan.rewrite.normalize_duplicates import may_hold_duplicates


def check_settings(sinks: tuple[Sink, ...], settings: Mapping[str, object]) -> Iterator[Problem]:
    if settings.get(STATE_BACKEND_TYPE.key) is StateBackend.HASHMAP and any(map(uses_engine, sinks)):
        message = f"'{STATE_BACKEND_TYPE.key}' is 'hashmap', and the state of this job is kept in RocksDB."
        yield Problem(message, hint="The state engine needs it; the results are the same.", severity=Severity.WARNING)
    if settings.get(CDC_EVENTS_DUPLICATE.key) is True:
        yield from _duplicates(sinks)


def _duplicates(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    for scan in (scan for sink in sinks for scan in scans(sink)):
        if may_hold_duplicates(scan) and not scan.table.primary_key:
            yield Problem(
                f"'{CDC_EVENTS_DUPLICATE.key}' is 'true', and for '{scan.table.name}' that needs a PRIMARY KEY, which says what"
                " change stands there twice.",
                scan.span,
                "Add PRIMARY KEY (column) NOT ENFORCED to the table, or remove the setting.",
            )
