"""The fetching of jars, with a program that plays Java and Ivy; the real one ran when the shared broker started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.deadline import wait_for

from firesteel.dev.broker.jars import Counted, failure, find_ivy, kafka_jars
from firesteel.errors import OutsideError
from firesteel.folder import cache_folder

_GOOD = """#!/bin/sh
if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit 0; fi
for last; do :; done
folder=$(dirname "$last")
echo started >> "$COUNT"
sleep 0.3
mkdir -p "$folder"
echo "  found org.apache.kafka#kafka_2.13;4.2.0 in public"
echo "  [SUCCESSFUL ] org.apache.kafka#kafka_2.13;4.2.0!kafka_2.13.jar (1ms)"
touch "$folder/kafka_2.13-4.2.0.jar"
"""
_BAD = """#!/bin/sh
if [ "$1" = -version ]; then echo 'openjdk version "17.0.1"' >&2; exit 0; fi
echo "Server access error at url of the repository (java.net.UnknownHostException)"
exit 1
"""
_SLOW = _GOOD.replace("sleep 0.3", 'mkdir -p "$folder"; touch "$folder/half.jar"; sleep 30')


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the java program to be written; the cache is empty."""
    monkeypatch.setenv("FIRESTEEL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("COUNT", str(tmp_path / "count"))
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch(0o755)
    return java


def test_jars_are_fetched_once_and_progress_is_heard(play: Path) -> None:
    play.write_text(_GOOD)
    heard: list[tuple[str, int, int]] = []
    folder = kafka_jars(lambda doing, done, total: heard.append((doing, done, total)))
    assert kafka_jars() == folder
    assert [path.name for path in folder.iterdir()] == ["kafka_2.13-4.2.0.jar"]
    assert heard == [("looking up", 1, 46), ("downloading", 1, 1)]
    assert Path(os.environ["COUNT"]).read_text() == "started\n"
    assert sorted(path.name for path in folder.parent.iterdir()) == ["kafka-4.2.0", "kafka-4.2.lock"]


def test_two_processes_do_not_collide(play: Path) -> None:
    play.write_text(_GOOD)
    command = [sys.executable, "-c", "from firesteel.dev.broker.jars import kafka_jars; kafka_jars()"]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(30) for process in both] == [0, 0]
    assert Path(os.environ["COUNT"]).read_text() == "started\n"


def test_a_failed_download_is_told_and_leaves_no_jars(play: Path) -> None:
    play.write_text(_BAD)
    with pytest.raises(
        OutsideError, match=r"could not be downloaded: Server access error .*Its|The output of Ivy is in"
    ):
        kafka_jars()
    assert not (cache_folder() / "kafka-4.2.0").exists()


def test_a_killed_download_leaves_nothing_half(play: Path) -> None:
    play.write_text(_SLOW)
    command = [sys.executable, "-c", "from firesteel.dev.broker.jars import kafka_jars; kafka_jars()"]
    process = subprocess.Popen(command, start_new_session=True)
    half = cache_folder() / "kafka-4.2.0.unfinished" / "jars" / "half.jar"
    wait_for(lambda: half.exists() or process.poll() is not None)
    assert process.poll() is None
    os.killpg(process.pid, 9)
    process.wait()
    assert not (cache_folder() / "kafka-4.2.0").exists()
    play.write_text(_GOOD)
    assert [path.name for path in kafka_jars().iterdir()] == ["kafka_2.13-4.2.0.jar"]


def test_an_unwritable_cache_is_told(play: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", "/proc/firesteel")
    play.write_text(_GOOD)
    with pytest.raises(OutsideError, match=r"cannot be written.*FIRESTEEL_CACHE"):
        kafka_jars()


def test_ivy_is_found_without_importing_pyspark() -> None:
    code = "import sys; from firesteel.dev.broker.jars import find_ivy; find_ivy(); sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert find_ivy().name.startswith("ivy-")


def test_the_cache_folder_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESTEEL_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    assert cache_folder() == Path("/a")
    monkeypatch.delenv("FIRESTEEL_CACHE")
    assert cache_folder() == Path("/b/firesteel")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "firesteel"


def test_counting_goes_on_past_what_was_expected() -> None:
    counted = Counted(found=46).after("found one more in public")
    assert (counted.done, counted.total) == (47, 47)
    assert counted.after("something else") is counted


def test_a_failure_without_words_gets_some() -> None:
    assert failure("") == "Ivy ended without saying why."
