"""Which kinds of rows a table gives when it is read, and takes when it is written."""

from __future__ import annotations

from firesteel.catalog.table import Table
from firesteel.changelog.kind import ALL, INSERT_ONLY, Changelog
from firesteel.options.connector import Key
from firesteel.options.legacy import UpdateMode
from firesteel.options.registry import connector, format_named


def source_changelog(table: Table) -> Changelog:
    known = connector(table.connector)
    if known is not None and known.reads is not None:
        return known.reads
    spec = format_named(table.value_format.name)
    return spec.changelog if spec else INSERT_ONLY


def sink_changelog(table: Table) -> Changelog:
    """A table whose format or connector is unknown takes everything: that mistake has been reported already."""
    if table.update_mode is UpdateMode.APPEND:
        return INSERT_ONLY
    if table.update_mode is UpdateMode.RETRACT:
        return ALL
    known, spec = connector(table.connector), format_named(table.value_format.name)
    if known is not None and known.writes is not None:
        return known.writes
    return spec.changelog if spec and known is not None else ALL


def has_key(table: Table) -> bool:
    """Whether changes are told apart by the PRIMARY KEY where they are written."""
    known = connector(table.connector)
    return known is not None and known.key is Key.PRIMARY_KEY


def takes_any_rows(table: Table) -> bool:
    """Whether it keeps nothing that a later row would have to change."""
    known = connector(table.connector)
    return known is not None and known.key is Key.NONE
