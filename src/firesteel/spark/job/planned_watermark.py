"""Tells the watermark of a batch from what was planned for it: a file that is durable before the batch runs, and never changes."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.spark.sink.offset_log import planned_batch
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class PlannedWatermark:
    """The watermark of rows that come from some of a query's sources. It travels to the workers.

    `sources` are their numbers, each with the milliseconds by which its watermark is behind its event time.
    """

    checkpoint: Folder
    sources: tuple[tuple[int, int], ...]

    def __call__(self, batch: int) -> int | None:
        """Gives the watermark that holds behind a batch's rows: what all sources have reached; None before they all have one."""
        marks = planned_batch(self.checkpoint, batch).marks
        reached = [None if (mark := marks.get(source)) is None else mark - delay for source, delay in self.sources]
        known = [mark for mark in reached if mark is not None]
        return min(known) if known and len(known) == len(reached) else None
