"""Decides what becomes of rows of a query that share the PRIMARY KEY of a sink: `ON CONFLICT`, and a Materialize node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.connector import has_key
from firesteel.changelog.kind import INSERT_ONLY, UPSERT
from firesteel.errors import Problem, Severity
from firesteel.options.setting import REQUIRE_ON_CONFLICT, UPSERT_MATERIALIZE, UpsertMaterialize
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.fact.shared_key import can_share
from firesteel.plan.fact.upsert_key import upsert_keys
from firesteel.plan.node.materialize import OnConflict
from firesteel.plan.node.relation import Materialize, Node, Rank, Sink, Union, scans
from firesteel.plan.resolve.known import Known
from firesteel.plan.resolve.mistake import Mistake
from firesteel.sql.statement import Insert

_NONE = f"SET '{UPSERT_MATERIALIZE.key}' = 'NONE' if no two rows share a key"


def materialize(sink: Sink, insert: Insert, known: Known) -> Sink:
    """Puts a Materialize below the sink where rows of the query can share its PRIMARY KEY, as Flink does."""
    table, settings = sink.table, known.catalog.settings
    mode = settings.get(UPSERT_MATERIALIZE.key, UPSERT_MATERIALIZE.default)
    action = None if insert.on_conflict is None else OnConflict(insert.on_conflict.text)
    if sink_changelog(table) != UPSERT or not has_key(table):
        _check_keyless(sink, insert, action)
        return sink
    if not table.primary_key:
        # Its absence is reported for the table itself.
        return sink
    if action is OnConflict.ERROR:
        _check_watermarks(sink, insert)
    apart = _tells_apart(sink)
    if not apart and action is None and settings.get(REQUIRE_ON_CONFLICT.key) is True:
        raise Mistake(
            f"{_unknown(sink)}, and '{REQUIRE_ON_CONFLICT.key}' is 'true'.",
            insert.target.span,
            "Write ON CONFLICT DO DEDUPLICATE behind the query: the last of them stays.",
        )
    if mode is UpsertMaterialize.NONE:
        if not apart:
            _warn_of_none(sink, insert, action, known)
        return sink
    appends = sink.changelog == INSERT_ONLY and action in (None, OnConflict.DEDUPLICATE)
    if mode is UpsertMaterialize.AUTO:
        # Of rows that never go the last one stays in any case.
        if apart or appends:
            return sink
        if action is None:
            _warn_of_state(sink, insert, known)
    chosen = OnConflict.DEDUPLICATE if action is None else action
    return replace(sink, input=Materialize(sink.input, table.primary_key, None, chosen, insert.target.span))


def choose_query_key(sink: Sink) -> Sink:
    """Lets Materialize find the query's rows by a key of theirs, where their changes come in order."""
    node = sink.input
    if not isinstance(node, Materialize) or not is_in_order(node.input):
        return sink
    shortest = min(upsert_keys(node.input), key=lambda key: (len(key), sorted(key)), default=frozenset[str]())
    names = tuple(field.name for field in node.fields if field.name in shortest)
    return replace(sink, input=replace(node, query_key=names or None))


def _tells_apart(sink: Sink) -> bool:
    """Says whether no two rows that exist at the same time can share the primary key."""
    return any(key <= frozenset(sink.table.primary_key) for key in upsert_keys(sink))


def _check_keyless(sink: Sink, insert: Insert, action: OnConflict | None) -> None:
    if insert.on_conflict is None or action is OnConflict.DEDUPLICATE:
        return
    raise Mistake(
        f"'ON CONFLICT DO {insert.on_conflict.text}' needs a table that keeps one row for each PRIMARY KEY, and"
        f" '{sink.table.name}' keeps every row.",
        insert.on_conflict.span,
        "Write into an 'upsert-kafka' table, or remove ON CONFLICT.",
    )


def _check_watermarks(sink: Sink, insert: Insert) -> None:
    bare = next((scan.table.name for scan in scans(sink) if scan.table.watermark is None), None)
    if bare is not None and insert.on_conflict is not None:
        raise Mistake(
            f"'ON CONFLICT DO ERROR' needs a WATERMARK in every table that is read, and '{bare}' has none.",
            insert.on_conflict.span,
            "Add WATERMARK FOR column AS column to the table, or remove ON CONFLICT.",
        )


def _warn_of_none(sink: Sink, insert: Insert, action: OnConflict | None, known: Known) -> None:
    if insert.on_conflict is not None and action is not OnConflict.DEDUPLICATE:
        raise Mistake(
            f"'ON CONFLICT DO {insert.on_conflict.text}' keeps the rows of a PRIMARY KEY, and '{UPSERT_MATERIALIZE.key}' is"
            " 'NONE'.",
            insert.on_conflict.span,
            "Remove one of the two.",
        )
    if sink.changelog != INSERT_ONLY and can_share(sink, frozenset(sink.table.primary_key)):
        known.report(
            Problem(
                f"{_several(sink)}; '{UPSERT_MATERIALIZE.key}' is 'NONE', so the deletion of one deletes the others too.",
                insert.target.span,
                severity=Severity.WARNING,
            )
        )


def _warn_of_state(sink: Sink, insert: Insert, known: Known) -> None:
    if can_share(sink, frozenset(sink.table.primary_key)):
        message = f"{_several(sink)}: the last one is written, and all are kept in state."
        hint = f"{_cure(sink)}, or write ON CONFLICT DO DEDUPLICATE if this is meant."
    else:
        message = f"{_unknown(sink)}, so all of them are kept in state."
        hint = f"{_cure(sink)}, or {_NONE}."
    known.report(Problem(message, insert.target.span, hint, Severity.WARNING))


def _several(sink: Sink) -> str:
    key, told = ", ".join(sink.table.primary_key), _told_apart_by(sink)
    since = f", since they are told apart by ({told})" if told else ""
    return f"Several rows of this query can share the PRIMARY KEY ({key}) of '{sink.table.name}'{since}"


def _unknown(sink: Sink) -> str:
    key = ", ".join(sink.table.primary_key)
    return f"Two rows of this query might share the PRIMARY KEY ({key}) of '{sink.table.name}'"


def _told_apart_by(sink: Sink) -> str:
    shortest = min(upsert_keys(sink), key=lambda one: (len(one), sorted(one)), default=frozenset[str]())
    return ", ".join(field.name for field in sink.fields if field.name in shortest)


def _cure(sink: Sink) -> str:
    """Suggests how to get a unique key of the query into the primary key."""
    told = _told_apart_by(sink)
    if told:
        return f"Make ({told}) the primary key of '{sink.table.name}'"
    for scan in scans(sink):
        if scan.changelog != INSERT_ONLY and not scan.table.primary_key:
            return f"Declare the PRIMARY KEY of '{scan.table.name}', and select its columns into that of '{sink.table.name}'"
    kinds = {type(node) for node in _nodes(sink)}
    if Rank in kinds:
        return "Select ROW_NUMBER() and the columns of PARTITION BY into the primary key"
    if Union in kinds:
        return "Write an INSERT for each side of UNION ALL, into tables of their own"
    return (
        f"Select the columns that tell the query's rows apart, unchanged, into the primary key of '{sink.table.name}'"
    )


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.inputs:
        yield from _nodes(child)
