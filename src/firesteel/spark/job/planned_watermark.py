"""Tells the watermark of a batch from what was planned for it: a file that is durable before the batch runs, and never changes."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.spark.hidden_column import SHIFT
from firesteel.spark.sink.offset_log import planned_batch
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class PlannedWatermark:
    """The watermark of rows that come from some of a query's sources. It travels to the workers.

    `sources` are their numbers, each with the milliseconds by which its watermark is behind its event time. Rows that one of Spark's
    operators has kept until their time came are behind these: then Spark's own watermark holds, and `behind` says how many milliseconds
    they may be behind that.
    """

    checkpoint: Folder
    sources: tuple[tuple[int, int], ...]
    behind: int | None = None

    def __call__(self, batch: int) -> int | None:
        """Gives the watermark that holds behind a batch's rows: what all sources have reached; None before they all have one."""
        planned = planned_batch(self.checkpoint, batch)
        if self.behind is not None:
            return planned.watermark - SHIFT - self.behind
        reached = [
            None if (mark := planned.marks.get(source)) is None else mark - delay for source, delay in self.sources
        ]
        known = [mark for mark in reached if mark is not None]
        return min(known) if known and len(known) == len(reached) else None
