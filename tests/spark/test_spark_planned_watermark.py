"""The watermark of a batch is the least of what its sources have reached, as it was planned."""

from __future__ import annotations

import json
from pathlib import Path

from firesteel.spark.hidden_column import SHIFT
from firesteel.spark.job.planned_watermark import PlannedWatermark
from firesteel.storage.local import LocalFolder


def test_the_watermark_of_a_batch_is_what_all_sources_have_reached(tmp_path: Path) -> None:
    folder = LocalFolder(str(tmp_path))

    def plan(batch: int, *marks: int | None) -> None:
        offsets = [
            json.dumps({"source": number, "sequence": batch, "positions": {}, "mark": mark})
            for number, mark in enumerate(marks)
        ]
        folder.write_text(
            f"offsets/{batch}", "\n".join(["v1", json.dumps({"batchWatermarkMs": SHIFT + 30}), *offsets, "-"])
        )

    plan(0, None, 50)
    plan(1, 100, 50)
    plan(2, 100, 200)
    both = PlannedWatermark(folder, ((0, 10), (1, 0)))
    assert [both(batch) for batch in range(3)] == [None, 50, 90]
    assert PlannedWatermark(folder, ((1, 5),))(0) == 45
    # A source that has planned nothing yet holds it back.
    assert PlannedWatermark(folder, ((0, 0), (2, 0)))(2) is None
    # Spark's operators keep rows until its own watermark has passed them.
    assert PlannedWatermark(folder, ((1, 0),), behind=10)(2) == 20
