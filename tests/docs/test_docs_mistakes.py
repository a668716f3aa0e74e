"""docs/mistakes.md quotes what a job says when it runs: it has to be what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.connectors.kafka import admin
from firesteel.errors import OutsideError, UsageError
from firesteel.spark.job.checkpoint import Checkpoint
from firesteel.storage.local import LocalFolder

PAGE = (Path(__file__).parents[2] / "docs" / "mistakes.md").read_text(encoding="utf-8")


def test_findings_c13_the_page_quotes_the_refusals_of_a_state(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    first = Checkpoint(LocalFolder(str(folder)))
    first.open({"a": "Scan(a)"}, fresh=False)
    with pytest.raises(UsageError) as second:
        Checkpoint(LocalFolder(str(folder))).open({"a": "Scan(a)"}, fresh=False)
    assert second.value.message.replace(str(folder), "…") in PAGE
    first.close()
    with pytest.raises(UsageError) as changed:
        Checkpoint(LocalFolder(str(folder))).open({"a": "Scan(b)"}, fresh=False)
    assert changed.value.message.splitlines()[0].replace(str(folder), "…") in PAGE


def test_findings_c13_a_topic_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admin, "_partition_counts", lambda *_: {})
    with pytest.raises(OutsideError) as missing:
        admin.check_topics({}, ["orders"])
    assert missing.value.message in PAGE and "firesteel topic create orders" in PAGE
