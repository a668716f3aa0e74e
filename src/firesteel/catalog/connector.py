"""Answers questions about a table that its connector decides."""

from __future__ import annotations

from firesteel.catalog.table import Table
from firesteel.connectors.builtin import connector
from firesteel.connectors.spec import ConnectorSpec, DeliveryGuarantee, Key, UserClass


def spec_of(table: Table) -> ConnectorSpec | None:
    """Returns the table's connector; None for an unknown one, which has been reported."""
    return connector(table.connector)


def key_rule(table: Table) -> Key | None:
    spec = spec_of(table)
    return spec.key if spec is not None else None


def has_key(table: Table) -> bool:
    """Checks whether the PRIMARY KEY identifies the rows that changes are written for."""
    return key_rule(table) is Key.PRIMARY_KEY


def chooses_key(table: Table) -> bool:
    """Checks whether options choose the message key, and the format the kinds of rows."""
    return key_rule(table) is Key.OPTIONAL


def is_bounded(table: Table) -> bool:
    """Checks whether reading the table comes to an end."""
    spec = spec_of(table)
    return spec is not None and spec.is_bounded(table.options)


def place_names(table: Table) -> tuple[str, ...]:
    """Returns the topics that a table names, or its other sources or targets; none if it has a pattern."""
    spec = spec_of(table)
    return spec.places(table.options).names if spec is not None else ()


def cluster_of(table: Table) -> str:
    """Returns the addresses of a table's cluster, as the table has them."""
    spec = spec_of(table)
    return spec.places(table.options).cluster if spec is not None else ""


def guarantee(table: Table) -> DeliveryGuarantee:
    """Returns the delivery guarantee of a table that is written."""
    spec = spec_of(table)
    return spec.guarantee(table.options) if spec is not None else DeliveryGuarantee.AT_LEAST_ONCE


def partitioner_class(table: Table) -> UserClass | None:
    """Returns the user's own class that chooses a partition for each row."""
    spec = spec_of(table)
    return spec.partitioner(table.options) if spec is not None else None


def identity(table: Table) -> str:
    """Returns the text that identifies the table's input in the state of a job."""
    spec = spec_of(table)
    return spec.identity(table.options) if spec is not None else ""
