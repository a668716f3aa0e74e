"""Reads and writes Avro's numbers: zigzag encoding, then seven bits per byte, the lowest first, with the highest bit
set in every byte but the last.

>>> encode_longs(np.array([0, -1, 64, -(2**63)])).to_pylist()
[b'\\x00', b'\\x01', b'\\x80\\x01', b'\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x01']
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def encode_longs(numbers: NDArray[np.int64]) -> pa.BinaryArray:
    zigzag = ((numbers << 1) ^ (numbers >> 63)).view(np.uint64)
    width = max(1, -(-int(zigzag.max(initial=0)).bit_length() // 7))
    sizes = np.ones(len(zigzag), np.int32)
    data = np.empty((len(zigzag), width), np.uint8)
    for index in range(width):
        if index:
            sizes += zigzag != 0
        data[:, index] = zigzag.astype(np.uint8) | np.uint8(0x80)
        zigzag = zigzag >> np.uint64(7)
    data[np.arange(len(data)), sizes - 1] &= 0x7F
    kept = data if (sizes == width).all() else data[np.arange(width) < sizes[:, None]]
    offsets = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    return pa.Array.from_buffers(pa.binary(), len(sizes), [None, pa.py_buffer(offsets), pa.py_buffer(kept)])
