"""Renders the delivery guarantee of a sink, and warns about what in a plan weakens it."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.catalog.connector import cluster_of, guarantee
from firesteel.catalog.table import Table
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.errors import Problem, Severity
from firesteel.options.error_handling import ERROR_HANDLING_LOG_TARGET, ERROR_HANDLING_MODE, ErrorMode
from firesteel.plan.fact.non_deterministic import RANDOM, calls_below
from firesteel.plan.fact.state import plan_state
from firesteel.plan.node.relation import Sink, scans


def is_exactly_once(table: Table) -> bool:
    return guarantee(table) is DeliveryGuarantee.EXACTLY_ONCE


def render_delivery(sink: Sink) -> str:
    """Renders the guarantee in one line, for `explain`."""
    match guarantee(sink.table):
        case DeliveryGuarantee.EXACTLY_ONCE:
            return "exactly-once: one task writes each batch, in one transaction; all tasks encode"
        case DeliveryGuarantee.NONE:
            return "none: what the broker refuses is lost"
        case DeliveryGuarantee.AT_LEAST_ONCE:
            return "at-least-once: all tasks write; a batch that runs again writes its rows again"


def advise_delivery(sink: Sink) -> Iterator[Problem]:
    if not is_exactly_once(sink.table):
        return
    named = _random_below_state(sink)
    if named is not None:
        yield _warning(
            f"'{named}' gives another value when a batch runs again, and its value is kept in state: after a failure,"
            " rows that were written and state can differ.",
            "Keep it out of what is grouped, joined and ranked, or write 'sink.delivery-guarantee' = 'at-least-once'.",
            sink,
        )
    for scan in scans(sink):
        source = scan.table
        if cluster_of(source) == cluster_of(sink.table):
            continue
        if source.options.get(ERROR_HANDLING_MODE) is ErrorMode.LOG:
            target = source.options.get(ERROR_HANDLING_LOG_TARGET)
            yield _warning(
                f"'{target}' is reached by other brokers than '{sink.table.name}', so bad records are written to it"
                " outside the transaction, at least once.",
                "Name the same 'properties.bootstrap.servers' in both tables, if it is one cluster.",
                sink,
            )


def _random_below_state(sink: Sink) -> str | None:
    for state in plan_state(sink):
        for child in state.node.inputs:
            found = next(calls_below(child, RANDOM), None)
            if found is not None:
                return found
    return None


def _warning(message: str, hint: str, sink: Sink) -> Problem:
    return Problem(message, sink.span, hint, Severity.WARNING)
