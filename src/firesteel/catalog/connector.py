"""What a table's connector says of it."""

from __future__ import annotations

from firesteel.catalog.table import Table
from firesteel.connectors.builtin import connector
from firesteel.connectors.spec import ConnectorSpec, Key


def spec_of(table: Table) -> ConnectorSpec | None:
    """None where there is no such connector: that has been reported."""
    return connector(table.connector)


def key_rule(table: Table) -> Key | None:
    spec = spec_of(table)
    return spec.key if spec is not None else None


def has_key(table: Table) -> bool:
    """Whether changes are told apart by the PRIMARY KEY where they are written."""
    return key_rule(table) is Key.PRIMARY_KEY


def chooses_key(table: Table) -> bool:
    """Whether options say what the message key is, and the format what a message can mean."""
    return key_rule(table) is Key.OPTIONAL


def takes_any_rows(table: Table) -> bool:
    """Whether it keeps nothing that a later row would have to change."""
    return key_rule(table) is Key.NONE


def is_bounded(table: Table) -> bool:
    """Whether reading it comes to an end."""
    spec = spec_of(table)
    return spec is not None and spec.is_bounded(table.options)


def identity(table: Table) -> str:
    """What it is read from, as the text of a job's state has it."""
    spec = spec_of(table)
    return spec.identity(table.options) if spec is not None else ""
