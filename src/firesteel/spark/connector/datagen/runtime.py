"""Runs `'connector' = 'datagen'`: rows that are made up."""

from __future__ import annotations

from firesteel.connectors.datagen import options as datagen
from firesteel.connectors.datagen.generator import read_generators
from firesteel.connectors.position import Partition
from firesteel.plan.node.relation import Scan
from firesteel.spark.connector.datagen.stream_reader import ROWS, GeneratedReader, GeneratedSpec
from firesteel.spark.connector.port import OpenSource, Runtime, WarmUp
from firesteel.spark.source.scan import SourcePlace
from firesteel.spark.source.source_spec import SourceSpec
from firesteel.types import Field


class DatagenRuntime(Runtime):
    def open_source(self, scan: Scan, place: SourcePlace) -> OpenSource:
        return DatagenSource(scan)


class DatagenSource(OpenSource):
    def __init__(self, scan: Scan) -> None:
        self._scan = scan

    def partitions(self) -> list[Partition]:
        return [ROWS]

    def make_reader(self, spec: SourceSpec, warm_up: WarmUp | None) -> GeneratedReader:
        table = self._scan.table
        physical = tuple(Field(column.name, column.type) for column in table.physical)
        made = read_generators(physical, table.options)
        by_name = {field.name: generator for field, generator in zip(physical, made.generators, strict=True)}
        generators = tuple(by_name[field.name] for field in self._scan.fields)
        rate = table.options.get(datagen.ROWS_PER_SECOND) or 1
        return GeneratedReader(GeneratedSpec(spec, generators, rate, made.rows))
