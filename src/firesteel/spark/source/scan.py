"""Makes the specification of a source from the scan of a plan: on the driver, for workers need no plan."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.catalog.connector import is_bounded
from firesteel.catalog.table import Table
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.formats.builtin import format_named
from firesteel.options.error_handling import ERROR_HANDLING_MODE, ErrorMode
from firesteel.options.table import SCAN_PARALLELISM
from firesteel.plan.node.relation import Scan
from firesteel.spark.source.kept import Kept
from firesteel.spark.source.source_spec import HiddenColumns, SourceSpec
from firesteel.storage.folder import Folder


@dataclass(frozen=True)
class SourcePlace:
    """Where a source is opened: the query, its folder, and what Spark gives. `number` is the source's among those of the query.

    `cold`: Spark has just been started. `in_rocksdb`: that is where the state is kept. `kept`: where sources stood whose state is given up.
    """

    query: str
    number: int
    checkpoint: Folder
    parallelism: int
    cold: bool = False
    in_rocksdb: bool = False
    kept: tuple[Kept, ...] = ()


def source_spec(scan: Scan, place: SourcePlace) -> SourceSpec:
    """Makes the specification of a source. Event time is added by who knows that the query waits for it."""
    columns = HiddenColumns(
        changes=scan.changelog != INSERT_ONLY,
        ordered=scan.ordered,
        combined=scan.combined,
        as_stored=place.in_rocksdb,
        tolerant=is_tolerant(scan.table),
    )
    return SourceSpec(
        scan.table.name,
        place.number,
        scan.fields,
        columns,
        is_bounded(scan.table),
        scan.table.options.get(SCAN_PARALLELISM) or place.parallelism,
        place.checkpoint.child("tally"),
    )


def is_tolerant(table: Table) -> bool:
    """Checks whether bad records are counted and left out, instead of stopping the job."""
    mode = table.options.get(ERROR_HANDLING_MODE)
    if mode is ErrorMode.IGNORE or mode is ErrorMode.LOG:
        return True
    for bound in (table.value_format, table.key_format):
        spec = format_named(bound.name) if bound is not None else None
        if bound is not None and spec is not None and spec.ignore_errors is not None:
            ignored: bool | None = bound.options.get(spec.ignore_errors)
            if ignored:
                return True
    return False
