"""Renders a snapshot: one line while the job runs, some lines at its end, one line of JSON for programs."""

from __future__ import annotations

import json
import time

from firesteel.errors import one_line, printable_json
from firesteel.observe.snapshot import JobSnapshot, SinkSnapshot, SourceSnapshot, State, StateSnapshot, Waiting

_ENDINGS = {State.FINISHED: "finished", State.FAILED: "failed", State.STOPPING: "stopped"}


def render_line(snapshot: JobSnapshot) -> str:
    """Renders the line of a running job.

    >>> render_line(JobSnapshot("pv", State.RUNNING, sources=(SourceSnapshot("v", "", 1200, 400.0, 7),), batch_ms=310))
    'pv running: 1,200 rows read, 400 rows/s, lag 7, last batch 310 ms'
    """
    parts = [f"{snapshot.rows_read:,} rows read", f"{snapshot.rows_per_second:,.0f} rows/s"]
    if snapshot.lag is not None:
        parts.append(f"lag {snapshot.lag:,}")
    if snapshot.sinks:
        parts.append(f"{snapshot.rows_written:,} written")
    if snapshot.batch_ms is not None:
        parts.append(f"last batch {render_milliseconds(snapshot.batch_ms)}")
    if snapshot.rejects:
        parts.append(f"{snapshot.rejects:,} bad records")
    if snapshot.late:
        parts.append(f"{snapshot.late:,} late")
    if not (snapshot.batches or snapshot.sources):
        parts = []
    details = ", ".join([*filter(None, [render_doing(snapshot)]), *parts])
    return one_line(f"{snapshot.name} {snapshot.state.value}" + (f": {details}" if details else ""))


def render_doing(snapshot: JobSnapshot) -> str:
    """Renders what the job is doing while it reads no rows, or what it waits for.

    >>> render_doing(JobSnapshot("pv", doing="starts Spark"))
    'starts Spark'
    """
    if snapshot.waiting is not None:
        waiting = snapshot.waiting
        return f"waits for Kafka at {waiting.broker} since {render_time(waiting.since)} ({waiting.why})"
    if snapshot.doing:
        return snapshot.doing
    if snapshot.idle and snapshot.state is State.RUNNING:
        return "nothing new" + (f" since {render_time(snapshot.last_batch)}" if snapshot.last_batch else "")
    return ""


def render_time(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def render_summary(snapshot: JobSnapshot) -> str:
    """Renders the summary of a job, table by table."""
    seconds = snapshot.seconds
    rate = f", {snapshot.rows_read / seconds:,.0f} rows/s" if seconds > 0 and snapshot.rows_read else ""
    head = f"{snapshot.name} {_ENDINGS.get(snapshot.state, snapshot.state.value)}"
    lines = [f"{head} after {render_seconds(seconds)}, {render_count(snapshot.batches, 'batch', 'batches')}{rate}."]
    names = [*(source.table for source in snapshot.sources), *(sink.table for sink in snapshot.sinks)]
    names += [state.operator for state in snapshot.operators]
    width = max(map(len, names), default=0)
    for source in snapshot.sources:
        lines.append(f"  read     {source.table:<{width}}  {source.rows:>14,} rows")
        lines += [
            f"  refused  {source.table:<{width}}  {n:>14,} rows  {why}" for why, n in sorted(source.rejects.items())
        ]
        if source.first_reject is not None:
            lines[-1] += f"  (first: {source.first_reject})"
        lines += [
            f"  logged   {source.table:<{width}}  {n:>14,} rows  to '{topic}'"
            for topic, n in sorted(source.dead_letters.items())
        ]
        lines += [
            f"  changed  {source.table:<{width}}  {n:>14,} values  in '{name}': NULL, or what fitted"
            for name, n in sorted(source.changed.items())
        ]
        if source.empty:
            lines.append(f"  empty    {source.table:<{width}}  {source.empty:>14,} messages without a row")
    if snapshot.late:
        lines.append(f"  late     {'':<{width}}  {snapshot.late:>14,} rows  after their window was closed")
    for state in snapshot.operators:
        expired = f", {state.expired:,} expired" if state.expired else ""
        parts = f"  {render_bytes(state.bytes)} in {render_count(state.segments, 'segment', 'segments')}{expired}"
        lines.append(f"  kept     {state.operator:<{width}}  {state.rows:>14,} rows{parts}")
    lines += [f"  written  {sink.table:<{width}}  {sink.rows:>14,} rows" for sink in snapshot.sinks]
    if snapshot.skipped_batches:
        skipped = render_count(snapshot.skipped_batches, "batch", "batches")
        lines.append(f"  skipped  {skipped} that had been written before a failure")
    if snapshot.restarts:
        lines.append(
            f"  retried  {render_count(snapshot.restarts, 'time', 'times')}, because a broker or a Python process was away"
        )
    if snapshot.torn:
        lines.append(
            f"  torn off {render_count(snapshot.torn, 'batch', 'batches')} that had not ended in time: the next start repeats"
            f" {'it' if snapshot.torn == 1 else 'them'}"
        )
    if snapshot.checkpoint:
        lines.append(f"  state    {snapshot.checkpoint}")
    return "\n".join(map(one_line, lines))


def render_json(snapshot: JobSnapshot) -> str:
    text = json.dumps(
        {
            "job": snapshot.name,
            "state": snapshot.state.value,
            "started": snapshot.started,
            "updated": snapshot.updated,
            "doing": render_doing(snapshot),
            "waiting_for": _waiting(snapshot.waiting),
            "batches": snapshot.batches,
            "skipped_batches": snapshot.skipped_batches,
            "batch_id": snapshot.batch_id,
            "batch_ms": snapshot.batch_ms,
            "last_batch": snapshot.last_batch,
            "restarts": snapshot.restarts,
            "torn_batches": snapshot.torn,
            "rows_read": snapshot.rows_read,
            "rows_written": snapshot.rows_written,
            "rows_late": snapshot.late,
            "rows_per_second": round(snapshot.rows_per_second, 1),
            "lag": snapshot.lag,
            "sources": [_source(source) for source in snapshot.sources],
            "sinks": [_sink(sink) for sink in snapshot.sinks],
            "operators": [_operator(operator) for operator in snapshot.operators],
            "checkpoint": snapshot.checkpoint,
            "warnings": list(snapshot.warnings),
            "error": snapshot.error,
        },
        ensure_ascii=False,
    )
    return printable_json(text)


def _waiting(waiting: Waiting | None) -> dict[str, object] | None:
    return None if waiting is None else {"broker": waiting.broker, "since": waiting.since, "why": waiting.why}


def _source(source: SourceSnapshot) -> dict[str, object]:
    return {
        "table": source.table,
        "query": source.query,
        "rows": source.rows,
        "rows_per_second": round(source.rows_per_second, 1),
        "lag": source.lag,
        "rejects": dict(source.rejects),
        "first_reject": source.first_reject,
        "dead_letters": dict(source.dead_letters),
        "changed": dict(source.changed),
        "empty": source.empty,
    }


def _sink(sink: SinkSnapshot) -> dict[str, object]:
    return {"table": sink.table, "query": sink.query, "rows": sink.rows}


def _operator(state: StateSnapshot) -> dict[str, object]:
    return {
        "operator": state.operator,
        "query": state.query,
        "rows": state.rows,
        "bytes": state.bytes,
        "segments": state.segments,
        "merging": state.merging,
        "oldest": None if state.oldest is None else state.oldest / 1000,
        "expired": state.expired,
        "bytes_written": state.written,
    }


def render_bytes(count: int) -> str:
    """Writes a number of bytes for a person.


    >>> render_bytes(512), render_bytes(51_200), render_bytes(3_400_000_000)
    ('512 B', '51.2 kB', '3.4 GB')
    """
    if count < 1000:
        return f"{count} B"
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 1000:.1f} kB"


def render_seconds(seconds: float) -> str:
    """Renders a length of time.

    >>> render_seconds(3.24), render_seconds(75), render_seconds(7500)
    ('3.2 s', '1 min 15 s', '2 h 5 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"


def render_count(number: int, one: str, many: str) -> str:
    """Renders a number with its noun.

    >>> render_count(1, "batch", "batches"), render_count(1200, "batch", "batches")
    ('1 batch', '1,200 batches')
    """
    return f"{number:,} {one if number == 1 else many}"


def render_milliseconds(milliseconds: int) -> str:
    return f"{milliseconds:,} ms" if milliseconds < 10_000 else render_seconds(milliseconds / 1000)
