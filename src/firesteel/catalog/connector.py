"""What a table's connector says of it."""

from __future__ import annotations

from firesteel.catalog.table import Table
from firesteel.connectors.builtin import connector
from firesteel.connectors.spec import ConnectorSpec, DeliveryGuarantee, Key, UserClass


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


def place_names(table: Table) -> tuple[str, ...]:
    """Gives the topics a table names, or what else it is read from or written to; none where it has a pattern."""
    spec = spec_of(table)
    return spec.places(table.options).names if spec is not None else ()


def cluster_of(table: Table) -> str:
    """Gives the servers by which a table's cluster is reached, as the table names them."""
    spec = spec_of(table)
    return spec.places(table.options).cluster if spec is not None else ""


def guarantee(table: Table) -> DeliveryGuarantee:
    """Gives what a failure may do to rows that were written to it."""
    spec = spec_of(table)
    return spec.guarantee(table.options) if spec is not None else DeliveryGuarantee.AT_LEAST_ONCE


def partitioner_class(table: Table) -> UserClass | None:
    """Gives the user's own class that chooses a partition for each row."""
    spec = spec_of(table)
    return spec.partitioner(table.options) if spec is not None else None


def identity(table: Table) -> str:
    """What it is read from, as the text of a job's state has it."""
    spec = spec_of(table)
    return spec.identity(table.options) if spec is not None else ""
