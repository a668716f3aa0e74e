"""What operators of the state engine keep, on its way to the driver: a text for each bucket and batch, observed by Spark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.observe.snapshot import BucketState
from firesteel.spark.blob import labels
from firesteel.spark.column import column
from firesteel.state.operator.operator import Operator
from firesteel.state.state import State

_MARK = "firesteel-state"
#: Where a bucket's state has the name of its operator.
TITLE = "operator"
_numbers = count()


def title_of(operator: Operator) -> str:
    """Names an operator for people: what it is, and its key."""
    key = getattr(operator, "key", None) or getattr(operator, "partition", None)
    return type(operator).__name__ + (f" by {', '.join(key)}" if key else "")


def render_report(state: State, wake: int | None) -> str:
    """Renders what a bucket keeps after a batch, and when it has to be called next."""
    tables = state.report().values()
    counts = state.counts
    oldest = min((table.oldest for table in tables if table.oldest is not None), default=None)
    rows, size, segments, merging = (
        sum(getattr(table, name) for table in tables) for name in ("rows", "bytes", "segments", "merging")
    )
    return json.dumps([rows, size, segments, merging, oldest, counts.expired, counts.written, counts.late, wake])


def observe_reports(blobs: DataFrame, title: str, buckets: int) -> DataFrame:
    """Returns the same rows, observed: the report of each bucket. A batch that runs twice reports the same."""
    reports = [
        F.max(F.when(column("bucket") == label, column("report"))).alias(str(label)) for label in labels(buckets)
    ]
    return blobs.observe(f"{_MARK}:{next(_numbers):09d}:{title}", *reports)


def observed_states(progress: Mapping[str, Any]) -> dict[str, dict[int, BucketState]]:
    """Finds in Spark's report of a batch what each operator keeps, by its title, sources first."""
    found: dict[str, dict[int, BucketState]] = {}
    metrics = progress.get("observedMetrics") or {}
    for name in sorted(metrics):
        mark, _, rest = name.partition(":")
        if mark != _MARK or not metrics[name]:
            continue
        wanted = rest.partition(":")[2]
        title, number = wanted, 1
        while title in found:
            number += 1
            title = f"{wanted} ({number})"
        texts = {label: text for label, text in metrics[name].items() if text is not None}
        found[title] = {int(label): BucketState(*json.loads(text)) for label, text in texts.items()}
    return found
