"""The short form of the soak: the driver dies, a writer dies, the driver dies; nothing is lost, nothing comes twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults.soak import DRIVER_BLOWS, PARTITIONS, WRITER_BLOWS, Blow, FaultyJob

pytestmark = pytest.mark.spark

#: Every moment in turn: what `make soak` runs before it goes by chance.
ALL = (*DRIVER_BLOWS, *WRITER_BLOWS)
SHORT = (Blow("m4", "kill-driver"), Blow("m5", "kill"), Blow("m6", "kill-driver"))


@pytest.fixture
def make_job(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> Iterator[Callable[..., FaultyJob]]:
    made: list[FaultyJob] = []

    def make(guarantee: str) -> FaultyJob:
        topics = make_topic(partitions=PARTITIONS), make_topic(partitions=PARTITIONS), make_topic(partitions=PARTITIONS)
        made.append(FaultyJob(cluster, tmp_path, topics, guarantee=guarantee))
        return made[-1]

    yield make
    for job in made:
        job.close()


def test_exactly_once_survives(make_job: Callable[..., FaultyJob]) -> None:
    job = make_job("exactly-once")
    for blow in ALL if os.environ.get("FIRESTEEL_SOAK") else SHORT:
        job.add(2_000)
        job.strike(blow)
    assert job.finish() == []


def test_a_second_driver_beside_one_that_sleeps(make_job: Callable[..., FaultyJob]) -> None:
    """Row 9: on one machine the state's lock keeps the second out; the first wakes up and goes on."""
    job = make_job("exactly-once")
    job.add(500)
    job.strike(Blow("m4", "raise"))
    job.signal(signal.SIGSTOP)
    try:
        second = job.run_beside()
    finally:
        job.signal(signal.SIGCONT)
    assert second.returncode == 2
    assert "Another process runs this job" in second.stderr
    job.add(500)
    assert job.finish() == []


@pytest.mark.skipif(not os.environ.get("FIRESTEEL_SOAK"), reason="part of make soak")
def test_at_least_once_loses_nothing(make_job: Callable[..., FaultyJob]) -> None:
    job = make_job("at-least-once")
    for moment in ("m1", "m6", "m7", "m8"):
        job.add(2_000)
        job.strike(Blow(moment, "kill-driver" if moment == "m6" else "kill"))
    assert job.finish() == []
