"""Reports settings of a job that have no effect or are not supported yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from firesteel.errors import Problem, Severity
from firesteel.options.setting import CDC_EVENTS_DUPLICATE, STATE_BACKEND_TYPE, StateBackend
from firesteel.plan.fact.keyed import is_keyed, uses_engine
from firesteel.plan.fact.time_to_live import ends
from firesteel.plan.node.relation import Join, Node, Sink, scans
from firesteel.plan.rewrite.normalize_duplicates import may_hold_duplicates


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
        if may_hold_duplicates(scan) and not scan.table.primary_key:
            yield Problem(
                f"'{CDC_EVENTS_DUPLICATE.key}' is 'true', and for '{scan.table.name}' that needs a PRIMARY KEY, which says what"
                " change stands there twice.",
                scan.span,
                "Add PRIMARY KEY (column) NOT ENFORCED to the table, or remove the setting.",
            )
