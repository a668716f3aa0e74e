"""Spark's log does not grow for ever, and nobody else can read it."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest
from tests.deadline import wait_for

from firesteel.spark.place import open_log
from firesteel.spark.start import log as room
from firesteel.spark.start.log import keep_small, rotate


def _lines(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().splitlines()]


def test_what_is_older_lies_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    writer = open_log(path)
    try:
        for number in range(60):
            os.write(writer, f"{number:09}\n".encode())
            rotate(path, largest=100, copies=3)
    finally:
        os.close(writer)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["job.log", "job.log.1", "job.log.2", "job.log.3"]
    # Nothing is lost in between, and no line is cut.
    kept = [number for file in (*reversed(files[1:]), path) for number in _lines(file)]
    assert kept == list(range(60 - len(kept), 60)) and 30 <= len(kept) <= 43
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


def test_of_a_burst_the_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text("".join(f"{number:09}\n" for number in range(1000)))
    assert rotate(path, largest=100) and not rotate(path, largest=100)
    assert path.read_text() == "" and _lines(tmp_path / "job.log.1") == list(range(991, 1000))


def test_it_is_looked_after_while_processes_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_SECONDS", 0.01)
    path = tmp_path / "job.log"
    ready = threading.Event()

    def fill() -> None:
        writer = open_log(path)
        while not ready.wait(0.01):
            os.write(writer, b"x" * 999_999 + b"\n")
        os.close(writer)

    keep_small(path)
    keep_small(path)
    thread = threading.Thread(target=fill)
    thread.start()
    try:
        wait_for((tmp_path / "job.log.3").exists, 60)
    finally:
        ready.set()
        thread.join()
    assert all(file.stat().st_size <= 40_000_000 for file in tmp_path.iterdir())
    path.unlink()
