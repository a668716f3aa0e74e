"""Counts refused records: they travel from a worker as rows, and Spark's `observe` counts them.

A counter in a worker would be lost with the worker, and counted twice when a task runs again.

>>> from firesteel.formats.codec import Reason
>>> parse_place(render_reject(Reject(0, Reason.MALFORMED, ""), 17, "topic 'orders', partition 3, offset 17"))
"topic 'orders', partition 3, offset 17"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.formats.codec import Reason, Reject
from firesteel.spark.column import column

_FIRST = "first"


def refused(rejects: Iterable[Reject]) -> list[Reject]:
    """Keeps one reject for each message that gave no row."""
    found: dict[int, Reject] = {}
    for reject in rejects:
        if not reject.kept:
            found.setdefault(reject.index, reject)
    return list(found.values())


def render_reject(reject: Reject, order: int, place: str) -> str:
    """Renders reason, `order` and `place` of a record, in this order, so that the least of several is the first."""
    return f"{reject.reason.value}\n{order:020d}\n{place}"


def parse_place(rendered: str) -> str:
    """Gives the place that `render_reject` was given."""
    return rendered.split("\n", 2)[2]


def count_rejects(rows: DataFrame, name: str, rejects: str) -> DataFrame:
    """Observes how many records were refused, by reason, and one of their places. The rows stay as they are."""
    counts = [F.count_if(column(rejects).startswith(f"{reason.value}\n")).alias(reason.value) for reason in Reason]
    return rows.observe(name, *counts, F.min(column(rejects)).alias(_FIRST))


def counted_rejects(progress: Mapping[str, Any], name: str) -> tuple[dict[str, int], str | None]:
    """Reads a batch's report: counts by reason, and the place of one of them."""
    found = dict((progress.get("observedMetrics") or {}).get(name) or {})
    first = found.pop(_FIRST, None)
    counts = {reason: int(count) for reason, count in found.items() if count}
    return counts, parse_place(first) if first else None
