"""Folders that only their owner can read, and that go when nobody needs them (findings d4, d16)."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from firesteel.errors import OutsideError
from firesteel.spark.start.scratch import claim, is_left, make_folders, make_scratch, remove_scratch, sweep


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _left(place: Path, **changes: object) -> Path:
    """A folder whose process is dead."""
    folder = make_scratch()
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    owner = folder / "owner.json"
    told = json.loads(owner.read_text()) | {"processes": [[int(ended.stdout), "1"]]}
    owner.write_text(json.dumps(told | changes))
    (folder / "blockmgr-x").mkdir()
    (folder / "blockmgr-x" / "data").write_text("secret")
    return folder


def test_findings_d4_a_folder_is_private(place: Path) -> None:
    folder = make_scratch()
    assert folder.parent == place and stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "owner.json").stat().st_mode) == 0o600
    assert not is_left(folder)
    remove_scratch(folder)
    assert list(place.iterdir()) == []


def test_findings_d16_what_a_dead_process_left_is_swept(place: Path) -> None:
    left = _left(place)
    assert is_left(left)
    sweep()
    assert not left.exists()


def test_what_is_needed_stays(place: Path) -> None:
    mine, shared, unknown, linked = make_scratch(), _left(place), place / "fs-unknown", place / "fs-link"
    claim(shared, os.getpid())
    (unknown / "data").mkdir(parents=True)
    elsewhere = _left(place, where="another machine")
    torn = _left(place)
    (torn / "owner.json").write_text("{")
    linked.symlink_to(place / "elsewhere")
    (place / "elsewhere").mkdir()
    open_to_others = _left(place)
    open_to_others.chmod(0o777)
    sweep()
    for folder in (mine, shared, unknown, elsewhere, torn, linked, open_to_others):
        assert folder.exists(), folder


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_belongs_to_others_stays(place: Path) -> None:
    folder = _left(place)
    os.chown(folder, 65534, 65534)
    assert not is_left(folder)
    os.chown(folder, 0, 0)
    os.chown(folder / "owner.json", 65534, 65534)
    assert not is_left(folder)


def test_findings_d16_the_last_reports_stay(place: Path) -> None:
    for number in range(9):
        path = place / f"firesteel-error-{number}.txt"
        path.touch()
        os.utime(path, (number, number))
    sweep()
    assert sorted(path.name[-5] for path in place.iterdir()) == ["4", "5", "6", "7", "8"]


def test_the_users_own_places_get_a_private_folder_each(place: Path) -> None:
    named = f"{place / 'a'}, {place / 'b' / 'c'}"
    folders = make_folders(named)
    assert [folder.parent for folder in folders.local] == [place / "a", place / "b" / "c"]
    assert all(stat.S_IMODE(folder.stat().st_mode) == 0o700 for folder in folders.all())
    folders.remove()
    assert list((place / "a").iterdir()) == [] and not folders.scratch.exists()


def test_a_place_that_cannot_be_used_is_told(place: Path) -> None:
    (place / "file").touch()
    with pytest.raises(OutsideError, match=f"none can be made in '{place / 'file'}'"):
        make_folders(str(place / "file"))
    assert [path.name for path in place.iterdir()] == ["file"]
