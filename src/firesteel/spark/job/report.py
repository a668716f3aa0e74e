"""Renders Spark's report of a batch as what is known about it (`Progress`)."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from firesteel.connectors.position import from_json
from firesteel.observe.progress import Progress, SourceProgress
from firesteel.spark.job.stream import Sources, rejects_name, weights_name
from firesteel.spark.lower.keyed.report import observed_states
from firesteel.spark.sink.bad_record import BadRecords
from firesteel.spark.sink.batch import Written
from firesteel.spark.source.equal_rows import observed_rows
from firesteel.spark.source.event_time import emits_mark
from firesteel.spark.source.reject import counted_rejects
from firesteel.spark.source.tally import take_tally


def is_whole(report: Mapping[str, Any]) -> bool:
    """Checks that a report is of a batch, not of a moment in which there was nothing to do."""
    return "addBatch" in report["durationMs"] and bool(report["sources"])


def source_offsets(report: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
    """Gives the offset at which each of our sources stands behind the batch, by the source's number."""
    offsets = ((place, _offset(source["endOffset"] or {})) for place, source in enumerate(report["sources"]))
    numbered = {offset.get("source", place): offset for place, offset in offsets}
    return {number: offset for number, offset in numbered.items() if number >= 0}


def render_progress(query: str, sink: str, report: Mapping[str, Any], sources: Sources, written: Written) -> Progress:
    """Says what the batch did. What its reading tasks have left beside the rows is removed."""
    read: dict[str, SourceProgress] = {}
    rejects: dict[tuple[str, str], int] = {}
    places: dict[str, str] = {}
    changed: dict[tuple[str, str], int] = {}
    empty: dict[str, int] = {}
    for place, source in enumerate(report["sources"]):
        end = _offset(source["endOffset"] or {})
        number = end.get("source", place)
        if number < 0:
            continue
        spec = sources.specs[number]
        refused, first = counted_rejects(report, rejects_name(number))
        if first is not None:
            places.setdefault(spec.table, first)
        _add(rejects, spec.table, refused)
        tally = take_tally(spec.tally, number, int(end.get("sequence", 0)))
        _add(changed, spec.table, tally.changed)
        empty[spec.table] = empty.get(spec.table, 0) + tally.empty
        before = read.get(spec.table, SourceProgress(0, 0))
        marks = 1 if emits_mark(_offset(source["startOffset"] or {}), end) else 0
        counted = spec.columns.combined or bool(spec.packings)
        given = observed_rows(report, weights_name(number)) if counted else int(source["numInputRows"])
        rows = max(0, given - sum(refused.values()) - marks)
        read[spec.table] = SourceProgress(before.rows + rows, (before.lag or 0) + _lag(source))
    states = observed_states(report)
    return Progress(
        query,
        report["batchId"],
        int(report["durationMs"].get("triggerExecution", 0)),
        time.time(),
        read,
        {sink: written.rows},
        rejects,
        places,
        _logged(sources.bad_records, written),
        _late(report) + sum(bucket.late for buckets in states.values() for bucket in buckets.values()),
        written.skipped,
        changed,
        empty,
        states,
    )


def _add(counts: dict[tuple[str, str], int], table: str, more: Mapping[str, int]) -> None:
    for name, count in more.items():
        counts[table, name] = counts.get((table, name), 0) + count


def _logged(targets: tuple[BadRecords, ...], written: Written) -> dict[tuple[str, str], int]:
    """Counts the bad records by their table and by where they were written."""
    logged: dict[tuple[str, str], int] = {}
    for target in targets:
        count = written.bad_records.get(target.source, 0)
        if not count:
            continue
        where = target.table, target.target
        logged[where] = logged.get(where, 0) + count
    return logged


def _late(report: Mapping[str, Any]) -> int:
    """Counts rows that came to Spark's operators after their window was closed, as it does: rows of one group that come in one task are one."""
    return sum(
        int(state["numRowsDroppedByWatermark"])
        for state in report.get("stateOperators") or ()
        # The rows of COUNT(DISTINCT) take two branches, and are late in both.
        if state["operatorName"] != "dedupe"
    )


def _offset(value: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(value) if isinstance(value, str) else value
    return parsed


def _lag(source: Mapping[str, Any]) -> int:
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if not latest or not end:
        return 0
    last, now = from_json(_offset(latest)["positions"]), from_json(_offset(end)["positions"])
    return sum(max(0, offset - now.get(partition, 0)) for partition, offset in last.items())
