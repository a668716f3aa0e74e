"""The short form of the storm: every kind of signal that findings A1, A2, D1 and D16 are about, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.soak import PARTITIONS
from tests.faults.storm import DEATHS, STOPS, Hit, weather

pytestmark = pytest.mark.spark


def named(*names: str) -> list[tuple[Hit, float]]:
    hits = {hit.name: hit for hit in (*STOPS, *DEATHS)}
    return [(hits[name], 0.3) for name in names]


def topics(make_topic: Callable[..., str]) -> tuple[str, str, str]:
    return make_topic(partitions=PARTITIONS), make_topic(partitions=PARTITIONS), make_topic(partitions=PARTITIONS)


def test_findings_a1_a2_a_stop_repeats_nothing(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    """At-least-once, told to end by a group's signal and by one to every process: no row comes twice."""
    hits = named("TERM to the group", "TERM to every process")
    assert weather(cluster, tmp_path, topics(make_topic), hits, guarantee="at-least-once") == []


def test_findings_d1_d16_a_job_whose_jvm_dies_ends(
    cluster: dict[str, str], make_topic: Callable[..., str], tmp_path: Path
) -> None:
    hits = named("kill of the JVM", "TERM twice to main")
    assert weather(cluster, tmp_path, topics(make_topic), hits, guarantee="exactly-once") == []
