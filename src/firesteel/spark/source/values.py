"""Reads rows that a script holds itself: a source of one row, once, which Spark makes the others of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from firesteel.changelog.hidden import ORDER
from firesteel.plan.node.relation import Values
from firesteel.spark.column import column
from firesteel.spark.lower.expression import lower_expression
from firesteel.spark.type import spark_type

_PLACE, _ROW = "__place", "__row"


def read_values(session: SparkSession, name: str, number: int, node: Values) -> DataFrame:
    """Makes the rows of VALUES. `number` tells the source from the others of its query in what is planned for a batch."""
    session.dataSource.register(_once(name, number))
    rows = [
        F.struct(
            *(
                lower_expression(value).cast(spark_type(field.type)).alias(field.name)
                for value, field in zip(row, node.fields, strict=True)
            )
        )
        for row in node.rows
    ]
    once = session.readStream.format(name).load()
    found = once.select(F.posexplode(F.array(*rows)).alias(_PLACE, _ROW))
    columns = [column(_ROW).getField(field.name).alias(field.name) for field in node.fields]
    if node.ordered:
        columns.append(column(_PLACE).cast("bigint").alias(ORDER))
    return found.select(*columns)


def _once(source: str, place: int) -> type[DataSource]:
    class Once(DataSource):
        @classmethod
        def name(cls) -> str:
            return source

        def schema(self) -> str:
            return "one int"

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return OnceReader(place)

    return Once


class OnceReader(DataSourceStreamReader):
    """Offsets have the form of the other source's, without positions."""

    def __init__(self, number: int) -> None:
        self._number = number

    def initialOffset(self) -> dict[str, Any]:
        return self._offset(0)

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, Any]:
        return self._offset(1)

    def _offset(self, sequence: int) -> dict[str, Any]:
        return {"source": self._number, "sequence": sequence, "positions": {}}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [InputPartition(0)] if start["sequence"] < end["sequence"] else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_arrays([pa.array([1], pa.int32())], names=["one"])
