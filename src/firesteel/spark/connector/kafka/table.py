"""Reads off a Kafka table what its sources, sinks and checks ask of it."""

from __future__ import annotations

from firesteel.catalog.connector import place_names
from firesteel.catalog.table import Metadata, Table
from firesteel.connectors.kafka.client.librdkafka import Role, client_config
from firesteel.connectors.kafka.offset import Subscription
from firesteel.connectors.kafka.options import SINK_TRANSACTIONAL_ID_PREFIX, TOPIC_PATTERN
from firesteel.options.error_handling import ERROR_HANDLING_LOG_TARGET, ERROR_HANDLING_MODE, ErrorMode


def client_of(table: Table, role: Role) -> dict[str, str]:
    """Gives the settings of a client for the table. They may hold secrets."""
    return client_config(table.options.properties, role)


def subscription(table: Table) -> Subscription:
    """Gives the topics that the table reads or writes."""
    pattern = table.options.get(TOPIC_PATTERN)
    return Subscription(place_names(table), pattern.pattern if pattern is not None else None)


def dead_letter_topic(table: Table) -> str | None:
    """Gives the topic that gets the table's bad records, if one does."""
    if table.options.get(ERROR_HANDLING_MODE) is not ErrorMode.LOG:
        return None
    return table.options.get(ERROR_HANDLING_LOG_TARGET)


def transaction_prefix(table: Table, job: str) -> str:
    """Gives what the names of the table's transactions begin with."""
    return table.options.get(SINK_TRANSACTIONAL_ID_PREFIX) or job


def transaction_timeout(table: Table) -> int | None:
    """Gives the table's own transaction timeout in milliseconds, if it has one."""
    written = client_of(table, Role.PRODUCER).get("transaction.timeout.ms")
    return int(written) if written else None


def metadata_keys(table: Table, *, written: bool) -> dict[str, str]:
    """Maps the metadata columns that are read, or those that are written, to their keys."""
    columns = (column for column in table.columns if isinstance(column, Metadata))
    return {column.name: column.key for column in columns if not (written and column.virtual)}
