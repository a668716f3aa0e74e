"""Which kinds of rows a table gives when it is read, and takes when it is written."""

from __future__ import annotations

from firesteel.catalog.table import Table
from firesteel.changelog.kind import ALL, INSERT_ONLY, UPSERT, Changelog, RowKind
from firesteel.options.legacy import UpdateMode
from firesteel.options.registry import format_named


def source_changelog(table: Table) -> Changelog:
    """An upsert topic says neither what a row was before nor whether it is new: `[UA,D]`."""
    if table.connector == "upsert-kafka":
        return frozenset({RowKind.UPDATE_AFTER, RowKind.DELETE})
    spec = format_named(table.value_format.name)
    return spec.changelog if spec else INSERT_ONLY


def sink_changelog(table: Table) -> Changelog:
    """A table whose format or connector is unknown takes everything: that mistake has been reported already."""
    if table.update_mode is UpdateMode.APPEND:
        return INSERT_ONLY
    if table.connector == "upsert-kafka":
        return ALL if table.update_mode is UpdateMode.RETRACT else UPSERT
    spec = format_named(table.value_format.name)
    return spec.changelog if spec and table.connector == "kafka" else ALL
