from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime

import polars as pl
import pytest

from firesteel.dev.pageviews import REGIONS, PageViews, differences, expected_counts, fill_topic
from firesteel.dev.record import read_records


def counted_by_hand(messages: list[bytes]) -> dict[str, tuple[int, int]]:
    users = defaultdict(list)
    for message in messages:
        row = json.loads(message)
        users[row["user_region"]].append(row["user_id"])
    return {region: (len(seen), len(set(seen))) for region, seen in users.items()}


def test_the_same_seed_gives_the_same_rows_whatever_part_is_made() -> None:
    views = PageViews(1000, seed=7)
    assert views.columns().equals(pl.concat([views.columns(0, 300), views.columns(300)]))
    assert not views.columns().equals(PageViews(1000, seed=8).columns())


def test_a_message_is_a_page_view_of_about_100_bytes() -> None:
    [messages] = PageViews(500).messages()
    for message in messages:
        row = json.loads(message)
        assert list(row) == ["user_id", "page_id", "viewtime", "user_region"]
        assert 1 <= row["user_id"] <= 10_000
        datetime.strptime(row["viewtime"], "%Y-%m-%d %H:%M:%S.%f")
        assert row["user_region"] in dict(REGIONS)
        assert 80 < len(message) < 120


def test_the_count_of_the_columns_is_the_count_of_the_messages() -> None:
    views = PageViews(120_000, users=500)
    messages = [message for block in views.messages() for message in block]
    assert len(messages) == 120_000
    assert views.expected_counts() == counted_by_hand(messages)
    assert len(views.expected_counts()) == len(REGIONS)


def test_regions_are_skewed() -> None:
    counts = PageViews(50_000).expected_counts()
    assert counts["east-asia"][0] > 10 * counts["oceania"][0] > 0


def test_a_falsified_row_makes_the_verification_differ() -> None:
    rows = PageViews(5_000, users=100).columns()
    expected = expected_counts(rows)
    assert differences(expected, expected) == ()
    moved = rows.with_columns(
        user_region=pl.when(pl.int_range(pl.len()) == 42).then(pl.lit("atlantis")).otherwise("user_region")
    )
    [here, there] = differences(expected, expected_counts(moved))
    assert here == "Region 'atlantis' has pv 1 and uv 1, expected no row."
    assert "expected pv" in there


@pytest.mark.kafka
def test_a_topic_is_filled_evenly(cluster: dict[str, str], make_topic: Callable[..., str]) -> None:
    topic, views = make_topic(partitions=4), PageViews(10_000)
    assert fill_topic(cluster, topic, views, 4) == 10_000
    records = list(read_records(cluster, topic))
    assert {p: sum(r.partition == p for r in records) for p in range(4)} == {0: 2500, 1: 2500, 2: 2500, 3: 2500}
    assert counted_by_hand([record.value or b"" for record in records]) == views.expected_counts()
