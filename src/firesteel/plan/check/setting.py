"""Reports settings of a job that have no effect or are not supported yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from firesteel.catalog.connector import chooses_key
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.errors import Problem, Severity
from firesteel.formats.builtin import format_named
from firesteel.options.setting import CDC_EVENTS_DUPLICATE, STATE_TTL
from firesteel.plan.node.relation import Sink, scans


def check_settings(sinks: tuple[Sink, ...], settings: Mapping[str, object]) -> Iterator[Problem]:
    # '0' keeps state for ever in Flink too.
    if settings.get(STATE_TTL.key, timedelta(0)) != timedelta(0):
        yield Problem(
            f"'{STATE_TTL.key}' has no effect yet.", hint="State is kept for ever.", severity=Severity.WARNING
        )
    if settings.get(CDC_EVENTS_DUPLICATE.key) is True:
        yield from _duplicates(sinks)


def _duplicates(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    for scan in (scan for sink in sinks for scan in scans(sink)):
        table = scan.table
        spec = format_named(table.value_format.name)
        if not chooses_key(table) or spec is None or spec.changelog == INSERT_ONLY:
            continue
        if table.primary_key:
            what = "is not supported yet: a change that stands twice in it would count twice"
            hint = "Remove the setting if no change can stand twice in the topic."
        else:
            what = "needs a PRIMARY KEY, which says what change stands there twice"
            hint = "Add PRIMARY KEY (column) NOT ENFORCED to the table, or remove the setting."
        message = f"'{CDC_EVENTS_DUPLICATE.key}' is 'true', and for '{table.name}' that {what}."
        yield Problem(message, scan.span, hint)
