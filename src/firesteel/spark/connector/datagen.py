"""`'connector' = 'datagen'`: rows that are made up."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.datasource import DataSourceStreamReader

from firesteel.catalog.table import Table
from firesteel.connectors.datagen import options as datagen
from firesteel.connectors.datagen.generator import read_generators
from firesteel.connectors.kafka.offset import Partition, Subscription
from firesteel.connectors.kafka.start import Earliest, Latest, Unbounded
from firesteel.plan.node.relation import Scan
from firesteel.spark.source.generated import ROWS, GeneratedReader, GeneratedSpec
from firesteel.spark.source.stream_reader import ReadSpec
from firesteel.storage.folder import Folder
from firesteel.types import Field

#: The largest batch.
_MOST_ROWS = 1_000_000


def topics(table: Table) -> tuple[Mapping[str, str], tuple[str, ...]] | None:
    return None


def open_source(
    scan: Scan, number: int, checkpoint: Folder, parallelism: int, *, cold: bool, in_rocksdb: bool
) -> ReadSpec:
    table = scan.table
    physical = tuple(Field(column.name, column.type) for column in table.physical)
    made = read_generators(physical, table.options)
    by_name = {field.name: generator for field, generator in zip(physical, made.generators, strict=True)}
    return GeneratedSpec(
        table=table.name,
        config={},
        subscription=Subscription(()),
        start=Earliest(),
        bound=Unbounded() if made.rows is None else Latest(),
        group=None,
        value=table.value_format,
        key=None,
        fields=scan.fields,
        metadata={},
        tolerant=False,
        changes=False,
        upsert=False,
        ordered=scan.ordered,
        weighed=scan.combined,
        as_stored=in_rocksdb,
        max_rows=_MOST_ROWS,
        first_rows=_MOST_ROWS,
        discovery_seconds=0.0,
        number=number,
        tasks=parallelism,
        tally=checkpoint.child("tally"),
        generators=tuple(by_name[field.name] for field in scan.fields),
        rate=table.options.get(datagen.ROWS_PER_SECOND) or 1,
        total=made.rows,
    )


def partitions(spec: ReadSpec) -> list[Partition]:
    return [ROWS]


def make_reader(spec: ReadSpec) -> DataSourceStreamReader:
    assert isinstance(spec, GeneratedSpec)
    return GeneratedReader(spec)
