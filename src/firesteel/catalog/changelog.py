"""Tells which kinds of rows a table gives when it is read, and accepts when it is written."""

from __future__ import annotations

from firesteel.catalog.connector import spec_of
from firesteel.catalog.table import Table
from firesteel.changelog.kind import ALL, INSERT_ONLY, Changelog
from firesteel.formats.builtin import format_named
from firesteel.options.legacy import UpdateMode


def source_changelog(table: Table) -> Changelog:
    known = spec_of(table)
    if known is not None and known.reads is not None:
        return known.reads
    spec = format_named(table.value_format.name)
    return spec.changelog if spec else INSERT_ONLY


def sink_changelog(table: Table) -> Changelog:
    """Returns the kinds that a table accepts. One with an unknown format or connector accepts all: that mistake has
    been reported already.
    """
    if table.update_mode is UpdateMode.APPEND:
        return INSERT_ONLY
    if table.update_mode is UpdateMode.RETRACT:
        return ALL
    known, spec = spec_of(table), format_named(table.value_format.name)
    if known is not None and known.writes is not None:
        return known.writes
    return spec.changelog if spec and known is not None else ALL
