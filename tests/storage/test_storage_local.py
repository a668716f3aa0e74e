"""A folder of state on this machine: files are there whole or not at all."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest

from firesteel.storage.local import LocalFolder
from firesteel.storage.lock import Lock
from firesteel.storage.registry import open_folder


@pytest.fixture
def folder(tmp_path: Path) -> LocalFolder:
    return LocalFolder(str(tmp_path)).child("job")


def test_a_file_that_is_not_finished_is_not_there(folder: LocalFolder) -> None:
    folder.write_text("a", "old")
    with pytest.raises(RuntimeError), folder.open_write("a") as file:
        file.write(b"new")
        assert folder.list() == ("a",)
        raise RuntimeError
    assert folder.read("a") == b"old"
    assert folder.files() == ("a",)


def test_of_many_who_create_one_succeeds(folder: LocalFolder) -> None:
    created: list[int] = []

    def create(number: int) -> None:
        if folder.create("owner", str(number).encode()):
            created.append(number)

    threads = [threading.Thread(target=create, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(created) == 1
    assert folder.read_text("owner") == str(created[0])


def test_what_is_not_there(folder: LocalFolder) -> None:
    assert folder.list() == () == folder.files()
    assert not folder.exists() and not folder.exists("a")
    folder.delete()
    folder.delete("a")
    with pytest.raises(FileNotFoundError):
        folder.read("a")
    with pytest.raises(FileNotFoundError):
        folder.age("a")


def test_a_folder_goes_with_all_that_is_in_it(folder: LocalFolder) -> None:
    folder.write_text("x/y/z", "1")
    folder.write_text("kept", "2")
    assert folder.files() == ("kept", "x/y/z")
    folder.delete("x")
    assert folder.files() == ("kept",)
    assert folder.child("x").list() == ()


def test_a_folder_travels(folder: LocalFolder) -> None:
    assert pickle.loads(pickle.dumps(folder)) == folder
    assert open_folder(folder.uri) == folder


def test_a_folder_has_one_owner(folder: LocalFolder) -> None:
    lock = Lock(folder)
    with pytest.raises(BlockingIOError):
        Lock(folder)
    lock.release()
    Lock(folder).release()


def test_an_address_that_is_none_yet() -> None:
    with pytest.raises(ValueError, match="only these are supported yet"):
        open_folder("s3://bucket/state")
