"""`firesteel run` as a person and a supervisor use it: signals, kill -9, missing things, exit statuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.deadline import wait_for
from tests.faults.process import alive, descendants

from firesteel.cli.demo import SCRIPT, read_counts
from firesteel.dev.pageviews import PageViews, fill_topic
from firesteel.dev.record import write_records

FIRESTEEL = [sys.executable, "-m", "firesteel.cli.main"]


class Run:
    """`firesteel run` in a process of its own, its output in a file."""

    def __init__(self, script: Path, *arguments: str) -> None:
        self.output = script.with_suffix(".out")
        with self.output.open("w") as out:
            self.process = subprocess.Popen(
                [*FIRESTEEL, "run", str(script), *arguments], stdout=out, stderr=out, start_new_session=True
            )

    def said(self) -> str:
        return self.output.read_text()

    def family(self) -> set[int]:
        return descendants(self.process.pid)

    def send(self, number: int) -> None:
        self.process.send_signal(number)


@pytest.fixture
def runs() -> Iterator[Callable[..., Run]]:
    started: list[Run] = []

    def start(script: Path, *arguments: str) -> Run:
        run = Run(script, *arguments)
        started.append(run)
        return run

    yield start
    for run in started:
        if run.process.poll() is None:
            os.killpg(run.process.pid, signal.SIGKILL)
            run.process.wait()


@pytest.mark.spark
def test_kill_and_signals_lose_nothing(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, runs: Callable[..., Run]
) -> None:
    """Killed in the middle, started again, stopped by SIGTERM: every count is exact, and nobody is left behind."""
    views = PageViews(120_000, users=3_000)
    source, sink = make_topic(partitions=4), make_topic(partitions=2)
    fill_topic(cluster, source, views, 4)
    script = tmp_path / "job.sql"
    text = SCRIPT.replace("'scan.startup.mode'", "'scan.max-rows-per-batch' = '20000', 'scan.startup.mode'")
    script.write_text(text.format(views=source, counts=sink, bootstrap=cluster["bootstrap.servers"]))

    def counted() -> int:
        return sum(pv for pv, _ in read_counts(cluster, sink).values())

    run = runs(script)
    wait_for(lambda: counted() > 0, 90)
    family = run.family()
    assert family
    run.send(signal.SIGKILL)
    run.process.wait()
    # The JVM and the workers see that nobody is there any more.
    wait_for(lambda: not alive(family), 30)
    assert counted() < views.rows, "it was killed too late to prove anything"

    run = runs(script)
    wait_for(lambda: counted() == views.rows, 90)
    assert read_counts(cluster, sink) == views.expected_counts()
    assert "goes on where it stopped" in run.said()
    family = run.family()
    run.send(signal.SIGTERM)
    assert run.process.wait(30) == 0, run.said()
    # The summary: how it ended, what it read, keeps and wrote.
    assert any("stopped" in line for line in run.said().splitlines()[-6:])
    wait_for(lambda: not alive(family), 10)


@pytest.mark.spark
def test_a_signal_while_it_starts(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path, runs: Callable[..., Run]
) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(views=make_topic(), counts=make_topic(), bootstrap=cluster["bootstrap.servers"]))
    run = runs(script)
    time.sleep(2)
    run.send(signal.SIGINT)
    assert run.process.wait(90) == 0, run.said()
    assert "Traceback" not in run.said()


@pytest.mark.spark
def test_a_start_without_what_makes_it_shorter(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    """The fast start can be turned off; all other tests of this file run with it."""
    views = PageViews(2_000)
    source, sink = make_topic(), make_topic()
    fill_topic(cluster, source, views, 1)
    script = tmp_path / "job.sql"
    text = SCRIPT.replace("'scan.startup.mode'", "'scan.bounded.mode' = 'latest-offset', 'scan.startup.mode'")
    script.write_text(text.format(views=source, counts=sink, bootstrap=cluster["bootstrap.servers"]))
    ended = execute("run", str(script), FIRESTEEL_PLAIN_START="1")
    assert ended.returncode == 0, ended.stderr
    assert read_counts(cluster, sink) == views.expected_counts()


@pytest.mark.spark
def test_a_malformed_record_ends_the_job_with_its_place(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    source = make_topic()
    write_records(cluster, source, [(None, b"{oops")])
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(views=source, counts=make_topic(), bootstrap=cluster["bootstrap.servers"]))
    ended = execute("run", str(script))
    assert ended.returncode == 1
    assert f"topic '{source}', partition 0, offset 0" in ended.stderr
    assert "Spark's log:" in ended.stderr
    assert "Traceback" not in ended.stderr and "Py4J" not in ended.stderr


def execute(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FIRESTEEL, *arguments], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )


def test_a_job_without_java_is_refused_and_leaves_nothing(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(views=make_topic(), counts=make_topic(), bootstrap=cluster["bootstrap.servers"]))
    ended = execute("run", str(script), PATH="/nonexistent", JAVA_HOME="")
    assert ended.returncode == 3
    assert "Java is missing" in ended.stderr
    assert not (tmp_path / ".firesteel").exists()
    # Checking needs none.
    assert execute("check", str(script), PATH="/nonexistent", JAVA_HOME="").returncode == 0


def test_a_job_without_a_broker_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(views="views", counts="counts", bootstrap="127.0.0.1:1"))
    ended = execute("run", str(script))
    assert ended.returncode == 3
    assert "127.0.0.1:1" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) <= 6
    assert [one.name for one in tmp_path.iterdir()] == ["job.sql"]


def test_a_missing_topic_is_told_with_the_command_that_makes_it(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    script = tmp_path / "job.sql"
    script.write_text(SCRIPT.format(views=make_topic(), counts="missing", bootstrap=cluster["bootstrap.servers"]))
    ended = execute("run", str(script))
    assert ended.returncode == 3
    assert "'missing'" in ended.stderr and "firesteel topic create missing" in ended.stderr


def test_a_script_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    ended = execute("run", str(tmp_path / "none.sql"))
    assert ended.returncode == 2
    assert "There is no file" in ended.stderr
    binary = tmp_path / "binary.sql"
    binary.write_bytes(b"\xff\xfe\x00")
    ended = execute("run", str(binary))
    assert ended.returncode == 2
    assert "UTF-8" in ended.stderr


def test_a_mistake_starts_nothing(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text("INSERT INTO t SELECT a FROM s;")
    ended = execute("run", str(script))
    assert ended.returncode == 2
    assert f"{script}:1:29: 's' is not a table." in ended.stderr
