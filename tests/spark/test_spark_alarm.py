"""A source that has nothing to read runs a batch when the clock asks for one, and only once for each time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from firesteel.spark.source.alarm import Alarm, Sleeper
from firesteel.storage.local import LocalFolder


def _now() -> int:
    return int(time.time() * 1000)


def _new(sequence: int) -> dict[str, Any]:
    return {"source": 0, "sequence": sequence, "positions": {}, "begins": {"t": 1}, "mark": 7}


def test_a_time_that_has_come_moves_the_offset_once(tmp_path: Path) -> None:
    alarm = Alarm(LocalFolder(str(tmp_path)), ends=False)
    sleeper, start = Sleeper(alarm), _new(0)
    assert sleeper.next_offset(start, start) == start
    alarm.set(_now() + 60_000)
    assert sleeper.next_offset(start, start) == start
    due = _now() - 1
    alarm.set(due)
    woken = sleeper.next_offset(start, start)
    assert woken == {**start, "sequence": 1, "begins": {}, "woken": due}
    # What the batch has reported since may not be there yet.
    assert sleeper.next_offset(woken, woken) == woken
    # Rows that have come in between change nothing about it.
    assert sleeper.next_offset(woken, _new(2))["woken"] == due
    alarm.set(None)
    assert sleeper.next_offset(woken, woken) == woken


def test_a_source_that_goes_on_is_woken_at_once(tmp_path: Path) -> None:
    alarm = Alarm(LocalFolder(str(tmp_path)), ends=True)
    sleeper, start = Sleeper(alarm), _new(5)
    woken = sleeper.next_offset(start, start)
    assert woken["sequence"] == 6 and woken["mark"] == 7
    alarm.set(_now() - 1)
    # A job that ends with its input waits for nothing else.
    assert sleeper.next_offset(woken, woken) == woken
