"""Makes a data source whose reader travels packed, and is unpacked by the process that reads or plans offsets.

Spark starts Python processes that only ask a source what it is called and what its columns are, at each start of a query. What
a reader needs takes longer to load than all else these do; so nothing is imported here.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType


def make_source(name: str, columns: StructType, reader: DataSourceStreamReader) -> type[DataSource]:
    """Makes a data source of that name. The class travels to the workers, and the reader inside it."""
    packed = pickle.dumps(reader)

    class Packed(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> StructType:
            return columns

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:
            return PackedReader(packed)

    return Packed


class PackedReader(DataSourceStreamReader):
    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedReader, (self._packed,)

    @cached_property
    def _reader(self) -> Any:
        return pickle.loads(self._packed)

    def initialOffset(self) -> dict[str, Any]:
        offset: dict[str, Any] = self._reader.initialOffset()
        return offset

    def getDefaultReadLimit(self) -> Any:
        return self._reader.getDefaultReadLimit()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        offset: dict[str, Any] = self._reader.latestOffset(start, limit)
        return offset

    def reportLatestOffset(self) -> dict[str, Any] | None:
        offset: dict[str, Any] | None = self._reader.reportLatestOffset()
        return offset

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        parts: Sequence[InputPartition] = self._reader.partitions(start, end)
        return parts

    def read(self, partition: InputPartition) -> Iterator[Any]:
        rows: Iterator[Any] = self._reader.read(partition)
        return rows

    def commit(self, end: dict[str, Any]) -> None:
        self._reader.commit(end)

    def stop(self) -> None:
        self._reader.stop()
