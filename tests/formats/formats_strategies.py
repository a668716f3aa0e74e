"""Random tables, values and broken messages for the property tests of this room."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from tests.formats.formats_tables import parse_columns

from firesteel.formats.codec import Decoded
from firesteel.types import Field

QUICK = settings(
    max_examples=int(os.environ.get("FIRESTEEL_EXAMPLES", "40")), deadline=None, suppress_health_check=list(HealthCheck)
)

TYPES = (
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(6, 2)",
    "DECIMAL(38, 18)",
    "DECIMAL(5, 0)",
    "STRING",
    "BYTES",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(3)",
)
NESTED = ("ROW<x INT, y STRING>", "ROW<t TIMESTAMP(3), d DECIMAL(4, 1)>", "ARRAY<INT>", "ARRAY<DATE>")


def assert_same(fast: Decoded, exact: Decoded) -> None:
    assert fast.rejects == exact.rejects
    assert fast.batch.schema == exact.batch.schema
    assert fast.batch.num_rows == exact.batch.num_rows
    for one, other in zip(fast.batch.columns, exact.batch.columns, strict=True):
        # The text tells -0.0 from 0.0 and lets NaN equal NaN.
        # A NULL row may hide anything in its fields.
        assert pa.types.is_nested(one.type) or one.to_string(window=100) == other.to_string(window=100)
        assert "nan" in one.to_string(window=100) or one.equals(other)
    assert (fast.origin is None) == (exact.origin is None)
    assert fast.origin is None or fast.origin.equals(exact.origin)
    assert (fast.kinds is None) == (exact.kinds is None)
    assert fast.kinds is None or fast.kinds.equals(exact.kinds)


_numbers = st.one_of(
    st.integers(-300, 300),
    st.integers(-(2**65), 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-99999, 99999, places=3, allow_nan=False).map(str),
)
_times = st.sampled_from(
    [
        "2020-11-11",
        "2020-02-30",
        "20191112",
        "0000-01-01",
        "18:08:01",
        "18:08:01.123456789",
        "24:00:00",
        "2020-11-11 18:08:01",
        "2020-11-11 18:08:01.5",
        "2020-11-11 18:08:01.123456789",
        "2020-11-11T18:08:01",
        "2020-04-31 24:00:00",
        "1969-12-31 23:59:59.9999999",
        "2020-11-11 18:08:01.",
    ]
)
_texts = st.one_of(
    st.text(max_size=6),
    _times,
    st.sampled_from(["", "AQI=", "A Q I=", "true", " 12 ", "1.", ".5", "+1", "1e3", "e5", "-", "NaN", "1.255"]),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["x", "y", "t", "d", "z"]), inner, max_size=3)
    ),
    max_leaves=4,
)
#: What stands in for a piece of a message to break it.
_noise = st.sampled_from(
    [
        b"",
        b"}",
        b"{",
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b'"',
        b",",
        b":",
        b" ",
        b"NaN",
        b"1",
        b"[",
        b"]",
        b"\\ud800",
        b"\xef\xbb\xbf",
    ]
)


@st.composite
def any_fields(draw: st.DrawFn, kinds: tuple[str, ...]) -> tuple[Field, ...]:
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    nullable = [draw(st.booleans()) for _ in chosen]
    text = ", ".join(
        f"c{place} {kind}{'' if null else ' NOT NULL'}"
        for place, (kind, null) in enumerate(zip(chosen, nullable, strict=True))
    )
    return parse_columns(text)


@st.composite
def mutated(draw: st.DrawFn, message: bytes) -> bytes:
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2]))):
        start = draw(st.integers(0, len(message)))
        end = min(len(message), start + draw(st.integers(0, 2)))
        message = message[:start] + draw(_noise) + message[end:]
    return message


def likely(field: Field) -> st.SearchStrategy[Any]:
    """Mostly values of the field's own type, so that the fast path has something to take."""
    good = proper(field)
    return st.one_of(good, good, good, json_values)


def proper(field: Field) -> st.SearchStrategy[Any]:
    """Values of the field's own type, and null."""
    kind = str(field.type.with_nullable(True))
    good: st.SearchStrategy[Any]
    if kind in ("BOOLEAN",):
        good = st.booleans()
    elif kind in ("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL(5, 0)"):
        good = st.integers(-120, 120)
    elif kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
        good = st.one_of(
            st.integers(-99, 99), st.floats(-99, 99), st.sampled_from([0.25, 1.5, 1e-50, 1e39, 16777217.0])
        )
    elif kind == "DATE":
        good = st.sampled_from(["2020-02-29", "1969-12-31"])
    elif kind.startswith("TIMESTAMP"):
        good = st.sampled_from(["2020-02-29 00:00:00", "1969-12-31 23:59:59.123456789"])
    elif kind.startswith("TIME"):
        good = st.sampled_from(["00:00:00", "23:59:59.9999"])
    elif kind == "BYTES":
        good = st.sampled_from(["", "AQI=", "AQID"])
    elif kind.startswith("ROW"):
        good = st.fixed_dictionaries({"x": st.integers(0, 9)}, optional={"y": st.text(max_size=3), "t": st.none()})
    elif kind.startswith("ARRAY<INT"):
        good = st.lists(st.one_of(st.none(), st.integers(0, 9)), max_size=3)
    elif kind.startswith("ARRAY"):
        good = st.lists(st.one_of(st.none(), st.just("2020-02-29")), max_size=3)
    else:
        good = st.text(max_size=6)
    return st.one_of(good, good, good, st.none())
