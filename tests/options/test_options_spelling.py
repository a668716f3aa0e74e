"""A hint names what was meant, or there is none."""

from __future__ import annotations

import pytest

from firesteel.catalog.with_clause.absent import ABSENT_CONNECTORS, ABSENT_FORMATS
from firesteel.connectors.builtin import CONNECTORS
from firesteel.formats.builtin import FORMATS
from firesteel.options.spelling import distance, nearest


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("kafak", ["kafka", "upsert-kafka"], "kafka"),
        ("scan.startup.mdoe", ["scan.startup.mode", "scan.bounded.mode"], "scan.startup.mode"),
        ("startup.mode", ["scan.startup.mode", "topic"], "scan.startup.mode"),
        ("earliest", ["earliest-offset", "latest-offset"], "earliest-offset"),
        ("bootstrap-servers", ["bootstrap.servers"], "bootstrap.servers"),
        ("value.fields-prefix", ["key.fields-prefix"], None),
        ("changelog-json", ["canal-json", "json"], None),
        ("foo", ["retention.ms", "table.exec.state.ttl"], None),
        ("PERCENTILE", ["PROCTIME"], None),
        ("mode", ["scan.startup.mode", "scan.bounded.mode"], None),
        ("", ["a"], None),
        ("x" * 100_000, ["a"], None),
    ],
)
def test_findings_c2_the_nearest_name_is_what_was_meant(written: str, known: list[str], meant: str | None) -> None:
    assert nearest(written, known) == meant


def test_the_distance_counts_single_slips() -> None:
    for one, two, wrong in (
        ("ab", "ba", 1),
        ("abc", "ac", 1),
        ("abc", "axc", 1),
        ("abc", "abxc", 1),
        ("abcd", "badc", 2),
    ):
        assert distance(one, two, 3) == distance(two, one, 3) == wrong


def test_findings_c1_what_is_here_is_not_absent() -> None:
    assert not ABSENT_CONNECTORS & {spec.name for spec in CONNECTORS}
    assert not ABSENT_FORMATS & {spec.name for spec in FORMATS}
