"""Tells whether Kafka has the rows of a batch that was begun by a query whose state is given up."""

from __future__ import annotations

from firesteel.connectors.kafka.client.librdkafka import Role
from firesteel.connectors.kafka.transaction.marker import Attempt, Decision, decide
from firesteel.connectors.kafka.transaction.transaction import (
    Transaction,
    TransactionLimits,
    TransactionSpec,
    transaction_id,
)
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.spark.connector.kafka.ledger import Ledger
from firesteel.spark.connector.kafka.table import client_of, transaction_prefix, transaction_timeout
from firesteel.spark.connector.port import Write
from firesteel.spark.sink.offset_log import planned_age, planned_batch, query_id
from firesteel.storage.folder import Folder


def has_written(job: str, write: Write, limits: TransactionLimits, checkpoint: Folder, batch: int) -> bool:
    """Fences the writer that may still be at it, and reads what it has left, as the batch itself would if it ran again."""
    table, noted = write.sink.table, Ledger(checkpoint).read()
    if not is_exactly_once(table) or noted is None:
        return False
    query, number = query_id(checkpoint), int(checkpoint.name.partition("-")[0])
    transaction = Transaction(
        TransactionSpec(
            transaction_id(transaction_prefix(table, job), query, number),
            client_of(table, Role.PRODUCER),
            client_of(table, Role.CONSUMER),
            noted.topic,
            transaction_timeout(table) or limits.default_timeout_ms,
        )
    )
    attempt = Attempt(
        query,
        batch,
        planned_batch(checkpoint, batch).fingerprint,
        known=noted.batch,
        known_age=noted.age,
        again=True,
        age=planned_age(checkpoint, batch),
        retention=limits.retention_seconds,
    )
    try:
        return decide(attempt, transaction.marker(), noted.topic) is Decision.SKIP
    finally:
        transaction.abandon()
