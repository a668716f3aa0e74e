"""Refused records on their way from a worker to the job's counters: as rows, counted by Spark's `observe`.

A counter in a worker would be lost with the worker, and counted twice when a task runs again.

>>> parse_place("malformed\\n00000000000000000017\\n3\\norders")
"topic 'orders', partition 3, offset 17"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Message
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from firesteel.formats.codec import Reason, Reject
from firesteel.spark.column import column

_FIRST = "first"


def refused(rejects: Iterable[Reject]) -> list[Reject]:
    """One for each message that gave no row."""
    found: dict[int, Reject] = {}
    for reject in rejects:
        if not reject.kept:
            found.setdefault(reject.index, reject)
    return list(found.values())


def render_reject(reject: Reject, message: Message) -> str:
    """Reason and place, the reason first and the offset before the rest, so that the least of them is the first."""
    return f"{reject.reason.value}\n{message.offset():020d}\n{message.partition()}\n{message.topic()}"


def parse_place(told: str) -> str:
    _, offset, partition, topic = told.split("\n", 3)
    return f"topic '{topic}', partition {partition}, offset {int(offset)}"


def count_rejects(rows: DataFrame, name: str, rejects: str) -> DataFrame:
    """The rows as they are, observed: how many records were refused, by reason, and one of their places."""
    counts = [F.count_if(column(rejects).startswith(f"{reason.value}\n")).alias(reason.value) for reason in Reason]
    return rows.observe(name, *counts, F.min(column(rejects)).alias(_FIRST))


def counted_rejects(progress: Mapping[str, Any], name: str) -> tuple[dict[str, int], str | None]:
    """What a batch's report says: counts by reason, and the place of one of them."""
    found = dict((progress.get("observedMetrics") or {}).get(name) or {})
    first = found.pop(_FIRST, None)
    counts = {reason: int(count) for reason, count in found.items() if count}
    return counts, parse_place(first) if first else None
