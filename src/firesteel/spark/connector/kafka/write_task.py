"""Writes the rows of one task to Kafka, where every task may write.

How a batch is finished is `spark/sink/at_least_once.py`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import pyarrow as pa

from firesteel.connectors.kafka.write.writer import RefusedError, kept_writer
from firesteel.errors import FiresteelError
from firesteel.spark.connector.kafka.row_encoder import RowEncoder
from firesteel.spark.connector.kafka.write_spec import WriteSpec
from firesteel.spark.failure import carry
from firesteel.spark.fault import FaultFile, reach
from firesteel.spark.task import batch_number


def make_write_task(
    spec: WriteSpec, faults: FaultFile | None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Makes the task for `mapInArrow` that writes its rows and gives back a `WRITTEN_ROW` (`spark/sink/at_least_once.py`)."""

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        written, failure = 0, None
        try:
            written = _write_all(spec, batches)
            if faults is not None:
                reach(faults.read(), "m6", batch_number())
        except RefusedError as error:
            if not error.is_final:
                raise carry(error) from None
            # Raised here, Spark would try the task again, and again.
            failure = str(carry(error))
        except FiresteelError as error:
            raise carry(error) from None
        report = [pa.array([written], pa.int64()), pa.array([failure], pa.string())]
        yield pa.RecordBatch.from_arrays(report, names=["written", "failure"])

    return task


def _write_all(spec: WriteSpec, batches: Iterable[pa.RecordBatch]) -> int:
    """Writes all rows. `flush` returns when every message is on the broker: only then is the task done."""
    blocks = RowEncoder(spec).encode_all(batches)
    first = next(blocks, None)
    if first is None:
        return 0
    written = 0
    with kept_writer(spec.target.config, lossy=spec.target.lossy) as writer:
        for block in chain((first,), blocks):
            writer.write_all(block)
            written += len(block)
        writer.flush()
    return written
