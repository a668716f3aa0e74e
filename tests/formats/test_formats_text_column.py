"""Columns of timestamps read all at once are what the exact reader reads one by one, or are refused."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import QUICK

from firesteel.formats.column import timestamp as text_column
from firesteel.formats.java import time as java_time
from firesteel.formats.java.time import TimestampStyle

_GOOD = (
    "2020-02-29 23:59:59",
    "2019-12-31 00:00:00.5",
    "0000-01-01 00:00:00",
    "9999-12-31 23:59:59.999999",
    "1969-12-31 23:59:59.123456789",
    "2020-04-31 10:00:00",
    "2020-01-01 24:00:00",
)


@st.composite
def _texts(draw: st.DrawFn) -> str | None:
    text = draw(st.sampled_from(_GOOD)) + draw(st.sampled_from(["", "Z", "Z", "+08", "+08:00"]))
    text = text.replace(" ", draw(st.sampled_from([" ", "T", "t"])))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from([*"0123456789-: .TZ", ""])) + text[place + 1 :]
    return draw(st.sampled_from([text, text, text, None]))


@pytest.mark.parametrize(
    ("separator", "utc", "style"),
    [
        (" ", False, java_time.SQL),
        (" ", True, java_time.SQL_UTC),
        ("T", False, java_time.ISO),
        ("T", True, java_time.ISO_UTC),
    ],
    ids=["sql", "sql-utc", "iso", "iso-utc"],
)
def test_a_column_of_timestamps_is_read_as_one_by_one(separator: str, utc: bool, style: TimestampStyle) -> None:
    @QUICK
    @given(st.lists(_texts(), min_size=1, max_size=3), st.integers(0, 1))
    def check(texts: list[str | None], skip: int) -> None:
        column = pa.array(texts, pa.string())[skip:]
        read = text_column.timestamp_reader(separator, utc)(column)
        if read is not None:
            wanted = [None if text is None else java_time.parse_timestamp(text, style) for text in texts[skip:]]
            assert read.view(pa.int64()).to_pylist() == wanted

    check()
