"""How a source moves event time from one offset to the next. No session and no broker is needed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.position import Positions, to_json
from firesteel.spark.source.event_time import END_OF_TIME, EventClock, EventTime, Times
from firesteel.storage.local import LocalFolder

A, B = ("t", 0), ("t", 1)


def start(positions: Positions, **more: Any) -> dict[str, Any]:
    return {"positions": to_json(positions), **more}


def clock(folder: Path, idle_seconds: float = 0.0) -> EventClock:
    return EventClock(0, EventTime((A, B), LocalFolder(str(folder)), idle_seconds))


def seen(folder: Path, **times: int) -> None:
    Times(LocalFolder(str(folder)), 0, (A, B)).note({"ab".index(name): time for name, time in times.items()})


def test_without_event_time_a_batch_is_needed_for_rows_only() -> None:
    idle = EventClock(0, None)
    assert idle.advance(start({A: 3}), {A: 3}, None, {A: 3}, first=True) is None
    assert idle.advance(start({A: 3}), {A: 4}, None, {A: 4}, first=False) == {}


def test_the_mark_is_the_least_of_the_partitions_and_never_goes_back(tmp_path: Path) -> None:
    moving = clock(tmp_path)
    seen(tmp_path, a=70)
    moved = moving.advance(start({A: 0, B: 0}), {A: 5, B: 5}, None, {A: 5, B: 5}, first=False)
    assert moved == {"times": {"t": {"0": 70}}, "mark": None}
    seen(tmp_path, a=90, b=40)
    moved = moving.advance(start({A: 5, B: 5}, **moved), {A: 5, B: 5}, None, {A: 5, B: 5}, first=False)
    assert moved == {"times": {"t": {"0": 90, "1": 40}}, "mark": 40}
    behind = start({A: 5, B: 5}, times=moved["times"], mark=60)
    assert moving.advance(behind, {A: 5, B: 5}, None, {A: 5, B: 5}, first=False) is None


def test_the_last_mark_is_given_again_after_a_start(tmp_path: Path) -> None:
    moving, before = clock(tmp_path), start({A: 5}, times={"t": {"0": 9}}, mark=9)
    assert moving.advance(before, {A: 5}, None, {A: 5}, first=True) == {"times": {"t": {"0": 9}}, "mark": 9}
    assert moving.advance(before, {A: 5}, None, {A: 5}, first=False) is None


def test_a_bounded_source_that_is_read_to_its_end_closes_everything(tmp_path: Path) -> None:
    moving = clock(tmp_path)
    seen(tmp_path, a=50)
    half = moving.advance(start({A: 0, B: 0}), {A: 9, B: 4}, {A: 9, B: 8}, {A: 9, B: 8}, first=False)
    # A waits for nobody any more, and B has shown nothing yet.
    assert half is not None and half["mark"] is None
    moved = moving.advance(start({A: 9, B: 4}, **half), {A: 9, B: 8}, {A: 9, B: 8}, {A: 9, B: 8}, first=False)
    assert moved is not None and moved["mark"] == END_OF_TIME


def test_an_idle_partition_holds_nobody_back_until_it_has_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    moving = clock(tmp_path, idle_seconds=10)
    seen(tmp_path, a=70, b=40)
    ends = {A: 9, B: 5}
    moved = moving.advance(start({A: 0, B: 5}), {A: 5, B: 5}, None, ends, first=False)
    assert moved is not None and moved["mark"] == 40
    now[0] += 11
    moved = moving.advance(start({A: 5, B: 5}, **moved), {A: 7, B: 5}, None, ends, first=False)
    assert moved is not None and moved["mark"] == 70
    # B has a row that is not read yet: it is waited for, but the mark does not go back.
    moved = moving.advance(start({A: 7, B: 5}, **moved), {A: 9, B: 5}, None, {A: 9, B: 6}, first=False)
    assert moved is not None and moved["mark"] == 70
