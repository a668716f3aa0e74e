"""Reports settings of a job that have no effect or are not supported yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firesteel.catalog.connector import chooses_key
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.errors import Problem, Severity
from firesteel.formats.builtin import format_named
from firesteel.options.setting import CDC_EVENTS_DUPLICATE, STATE_BACKEND_TYPE, StateBackend
from firesteel.plan.fact.keyed import is_keyed, uses_engine
from firesteel.plan.fact.time_to_live import ends
from firesteel.plan.node.relation import Join, Node, Sink, scans


def check_settings(sinks: tuple[Sink, ...], settings: Mapping[str, object]) -> Iterator[Problem]:
    for sink in sinks:
        yield from _endless(sink)
    if settings.get(STATE_BACKEND_TYPE.key) is StateBackend.HASHMAP and any(map(uses_engine, sinks)):
        message = f"'{STATE_BACKEND_TYPE.key}' is 'hashmap', and the state of this job is kept in RocksDB."
        yield Problem(message, hint="The state engine needs it; the results are the same.", severity=Severity.WARNING)
    if settings.get(CDC_EVENTS_DUPLICATE.key) is True:
        yield from _duplicates(sinks)


def _endless(node: Node) -> Iterator[Problem]:
    """Warns where state stays though a time to live is set for it."""
    for child in node.inputs:
        yield from _endless(child)
    if ends(node) and not is_keyed(node):
        name = "join" if isinstance(node, Join) else type(node).__name__
        message = f"The state of this {name} is kept for ever: a time to live has no effect on it yet."
        yield Problem(message, node.span, severity=Severity.WARNING)


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
