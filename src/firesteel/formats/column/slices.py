"""Makes columns of slices of one buffer."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def take_slices(data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> pa.Array:
    """Makes a column of the bytes from each start to its end. Slices must be in order and must not overlap."""
    offsets = np.zeros(2 * len(starts) + 1, dtype=np.int32)
    offsets[1::2], offsets[2::2] = starts, ends
    # Every second slice is a value, the others are the bytes between values.
    slices = pa.Array.from_buffers(pa.binary(), 2 * len(starts), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return slices.take(pa.array(np.arange(1, 2 * len(starts), 2)))
