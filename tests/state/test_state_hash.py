"""Hashes and comparisons of values of every type agree with Python's."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from firesteel.state.hash import hash_columns, same_values

D = decimal.Decimal
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "null": (pa.null(), [None]),
    "boolean": (pa.bool_(), [True, False, None]),
    "tinyint": (pa.int8(), [0, 1, -1, -128, None]),
    "int": (pa.int32(), [0, 1, -1, 2**31 - 1, None]),
    "bigint": (pa.int64(), [0, 1, -1, 2**63 - 1, -(2**63), None]),
    "float": (pa.float32(), [0.0, 1.5, float("inf"), None]),
    "double": (pa.float64(), [0.0, -0.5, 1e300, None]),
    "decimal": (pa.decimal128(38, 2), [D("0.00"), D("-1.00"), D("1.00"), D(10) ** 30, None]),
    "string": (pa.string(), ["", "a", "\0", "a\0", "aaaaaaaa", "aaaaaaaaa", "b" * 17, "ü", None]),
    "large": (pa.large_string(), ["", "a", "aaaaaaaab", None]),
    "binary": (pa.binary(), [b"", b"\0", b"\0\0", b"\xff" * 9, None]),
    "fixed": (pa.binary(3), [b"abc", b"abd", None]),
    "date": (pa.date32(), [datetime.date(1970, 1, 1), datetime.date(2024, 2, 29), None]),
    "time": (pa.time32("ms"), [datetime.time(0), datetime.time(23, 59, 59, 1000), None]),
    "timestamp": (pa.timestamp("us"), [datetime.datetime(1970, 1, 1), datetime.datetime(9999, 12, 31), None]),
    "list": (pa.list_(pa.int64()), [[], [None], [1, 2], [2, 1], [1], [0], None]),
    "lists": (pa.list_(pa.list_(pa.string())), [[], [[]], [[], []], [["a"], ["b"]], [["a", "b"]], [None], None]),
    "row": (pa.struct([("a", pa.int32()), ("b", pa.string())]), [{"a": 1, "b": None}, {"a": None, "b": "1"}, None]),
    "map": (pa.map_(pa.string(), pa.int64()), [[], [("a", 1)], [("a", None)], [("b", 1), ("a", 1)], None]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_have_one_hash_each_wherever_they_stand(name: str) -> None:
    kind, values = VALUES[name]
    rng = np.random.default_rng(1)
    places = rng.integers(0, len(values), 300)
    column = pa.array([values[place] for place in places], kind)
    found = hash_columns([column.slice(17)], 3)
    by_value: dict[int, int] = {}
    for place, number in zip(places[17:].tolist(), found.tolist(), strict=True):
        assert by_value.setdefault(place, number) == number
    assert len(set(by_value.values())) == len(values)
    other = pa.array([values[place] for place in rng.permutation(places)], kind)
    expected = [a == b for a, b in zip(column.to_pylist(), other.to_pylist(), strict=True)]
    assert same_values(column, other).tolist() == expected
    assert same_values(column.slice(5), other.slice(5)).tolist() == expected[5:]
    assert hash_columns([column.slice(0, 0)], 0).tolist() == []


def test_every_nan_is_the_same_and_zeros_have_signs() -> None:
    values = pa.array(np.array([np.nan, -np.nan, np.uint64(0x7FF8000000000001).view(np.float64), 0.0, -0.0]))
    assert len(set(hash_columns([values], 0)[:3].tolist())) == 1
    assert same_values(values, pa.array([np.nan] * 3 + [0.0] * 2)).tolist() == [True, True, True, True, False]


def test_rows_are_hashed_column_by_column() -> None:
    one = hash_columns([pa.array(["a", "ab"]), pa.array(["bc", "c"])], 0)
    assert len(set(one.tolist())) == 2
    assert hash_columns([pa.array([1])], 0) != hash_columns([pa.array([1])], 1)
    assert hash_columns([pa.array([1, 2])], 0).tolist() == [hash_columns([pa.array([n])], 0)[0] for n in (1, 2)]


def test_what_is_stored_is_hashed_as_it_was() -> None:
    # other numbers here are another format of the state
    values = pa.array(["", "firesteel", None])
    assert hash_columns([values, pa.array([1, 2, 3])], 0).tolist() == [
        -4555239144144929910,
        -4687424103979588026,
        4252217746644180823,
    ]
