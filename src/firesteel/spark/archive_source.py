"""A source of a few numbers, for the job that loads Spark's classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

_COUNT = 1000


class Numbers(DataSource):
    @classmethod
    def name(cls) -> str:
        return "firesteel-numbers"

    def schema(self) -> str:
        return "number long"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        return _Reader()


class _Reader(DataSourceStreamReader):
    def initialOffset(self) -> dict[str, int]:
        return {"number": 0}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        return {"number": _COUNT}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [InputPartition(end["number"])]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"number": list(range(int(partition.value)))})
