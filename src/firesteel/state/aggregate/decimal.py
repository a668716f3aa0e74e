"""Adds decimals up in whole numbers of 128 bits, without rounding, so that every addition can be retracted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.state.aggregate.change import Change
from firesteel.state.order import Bools, Ints

_MASK = 0xFFFFFFFF
#: A sum is stored as 16 bytes.
STORED = pa.binary(16)


def limbs_of(data: pa.Array) -> list[Ints]:
    """Cuts numbers of 128 bits into four of 32 bits, the least first; only the last one has a sign."""
    if not len(data):
        return [np.empty(0, np.int64) for _ in range(4)]
    words = np.frombuffer(data.buffers()[1], np.int64, len(data) * 2, data.offset * 16).reshape(-1, 2)
    low, high = (
        words[:, 0].view(np.uint64) if words.flags.c_contiguous else words[:, 0].copy().view(np.uint64),
        words[:, 1],
    )
    return [
        (low & np.uint64(_MASK)).view(np.int64),
        (low >> np.uint64(32)).view(np.int64),
        high & _MASK,
        high >> 32,
    ]


def total_of_limbs(change: Change, column: pa.Array, sign: Ints) -> list[Ints]:
    """Adds decimals up, by group. What stands below a NULL does not matter: its sign is 0."""
    return [change.total(limb * sign) for limb in limbs_of(column)]


def add_limbs(one: Sequence[Ints], other: Sequence[Ints]) -> list[Ints]:
    """Adds numbers, and carries."""
    carried = []
    carry = np.zeros_like(one[0])
    for place, (left, right) in enumerate(zip(one, other, strict=True)):
        limb = left + right + carry
        carry = limb >> 32
        carried.append(limb & _MASK if place < 3 else limb)
    return carried


def bytes_of(limbs: Sequence[Ints]) -> pa.Buffer:
    """Puts the four parts together again."""
    words = np.empty((len(limbs[0]), 2), np.int64)
    words[:, 0] = limbs[0] | (limbs[1] << 32)
    words[:, 1] = limbs[2] | (limbs[3] << 32)
    return pa.py_buffer(words)


def decimals_of(limbs: Sequence[Ints], scale: int, present: Bools) -> pa.Array:
    """Gives the sums as decimals of 38 digits; NULL where there are none, and where 38 digits are not enough."""
    most = 10**38
    high = (limbs[3] << 32) | limbs[2]
    low = (limbs[1] << 32 | limbs[0]).view(np.uint64)
    fits = (limbs[3] >= -(2**31)) & (limbs[3] < 2**31)
    fits &= (high < most >> 64) | ((high == most >> 64) & (low < np.uint64(most & (2**64 - 1))))
    least = -most
    fits &= (high > least >> 64) | ((high == least >> 64) & (low > np.uint64(least & (2**64 - 1))))
    validity = pa.py_buffer(np.packbits(present & fits, bitorder="little"))
    return pa.Array.from_buffers(pa.decimal128(38, scale), len(high), [validity, bytes_of(limbs)])
