"""Avro's numbers, a column at a time and one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from firesteel.formats.avro.varint import encode_longs

_LONGS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    # The edges at which a number gets another byte.
    st.builds(
        lambda bits, off, sign: sign * (2**bits + off), st.integers(0, 62), st.integers(-1, 1), st.sampled_from((1, -1))
    ),
)


def encode_long(number: int) -> bytes:
    zigzag = (number << 1) ^ (number >> 63)
    found = bytearray()
    while zigzag > 0x7F:
        found.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    return bytes([*found, zigzag])


@given(st.lists(_LONGS, max_size=20))
def test_a_column_is_its_numbers_one_by_one(numbers: list[int]) -> None:
    column = encode_longs(np.array(numbers, np.int64))
    column.validate(full=True)
    assert column.to_pylist() == [encode_long(number) for number in numbers]
