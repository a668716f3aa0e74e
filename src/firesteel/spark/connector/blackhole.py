"""Runs `'connector' = 'blackhole'`: rows are checked and counted, and go no further."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from firesteel.changelog.hidden import KIND
from firesteel.errors import FiresteelError
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.port import OpenSink, OpenSource, Runtime, SinkPlace
from firesteel.spark.failure import carry
from firesteel.spark.sink.at_least_once import AtLeastOnce, Writing
from firesteel.spark.sink.batch import BatchEnd, BatchWriter
from firesteel.spark.sink.checked_rows import CheckedRows, SinkColumns
from firesteel.spark.sink.layout import Layout


class BlackholeRuntime(Runtime):
    def open_sink(self, sink: Sink, place: SinkPlace) -> OpenSink:
        return BlackholeSink(SinkColumns(sink.table.name, sink.fields, place.drop_nulls, place.check_lengths))


class BlackholeSink(OpenSink):
    def __init__(self, columns: SinkColumns) -> None:
        self._columns = columns

    def make_writer(self, end: BatchEnd, sources: Sequence[OpenSource]) -> BatchWriter:
        columns = self._columns

        def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            rows = CheckedRows(columns)
            try:
                taken = sum(rows.checked(batch, _kinds(batch))[0].num_rows for batch in batches)
            except FiresteelError as error:
                raise carry(error) from None
            report = [pa.array([taken], pa.int64()), pa.nulls(1, pa.string())]
            yield pa.RecordBatch.from_arrays(report, names=["written", "failure"])

        return AtLeastOnce(Layout(), Writing(task), end)


def _kinds(batch: pa.RecordBatch) -> pa.Array | None:
    return batch.column(KIND) if KIND in batch.schema.names else None
