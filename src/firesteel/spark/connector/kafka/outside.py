"""Checks what Kafka's tables need outside before a job starts: brokers, topics, limits, and that no state is lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firesteel.catalog.connector import place_names
from firesteel.catalog.table import Table
from firesteel.connectors.kafka.admin import check_broker, check_topics, create_topic, most_bytes
from firesteel.connectors.kafka.client.librdkafka import Role
from firesteel.connectors.kafka.options import SINK_PARTITIONER, TOPIC_PATTERN
from firesteel.connectors.kafka.partitioner import Default
from firesteel.connectors.kafka.transaction.earlier import find_past
from firesteel.connectors.kafka.transaction.transaction import TransactionLimits, check_timeout, find_limits
from firesteel.connectors.kafka.write.choose_partition import check_partitioner
from firesteel.errors import UsageError
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.spark.connector.kafka.table import client_of, dead_letter_topic, transaction_prefix, transaction_timeout
from firesteel.spark.connector.port import Read, Write


@dataclass
class Outside:
    """What was found: the `topics` of the job by the settings of the client that reaches them, `limits` of transactions by query, and
    the largest message of each topic where it is known.
    """

    topics: dict[tuple[tuple[str, str], ...], set[str]] = field(default_factory=dict)
    limits: dict[str, TransactionLimits] = field(default_factory=dict)
    most_bytes: dict[str, int] = field(default_factory=dict)

    def most_bytes_of(self, topics: Sequence[str]) -> int | None:
        """Gives the largest message that all of these topics take, as far as it is known."""
        return min((self.most_bytes[topic] for topic in topics if topic in self.most_bytes), default=None)


def check_outside(tables: Sequence[Read | Write], go_on: Callable[[], None]) -> Outside:
    """Raises what is missing. `go_on` is called between questions that take time, and may raise too."""
    found = Outside()
    for used in tables:
        table = _table(used)
        if isinstance(used, Write):
            check_partitioner(table.options.get(SINK_PARTITIONER) or Default())
        client = tuple(sorted(client_of(table, Role.ADMIN).items()))
        found.topics.setdefault(client, set()).update(place_names(table))
    for client, names in found.topics.items():
        check_broker(dict(client))
        check_topics(dict(client), sorted(names))
        go_on()
    for used in tables:
        table = _table(used)
        if isinstance(used, Write):
            if is_exactly_once(table):
                found.limits[used.query] = _check_limits(table)
            found.most_bytes |= most_bytes(client_of(table, Role.ADMIN), place_names(table))
        else:
            topic = _prepare_dead_letters(table)
            if topic is not None:
                found.most_bytes |= most_bytes(client_of(table, Role.ADMIN), [topic])
    return found


def check_earlier_runs(job: str, tables: Sequence[Read | Write], state: str) -> None:
    """Raises for a job whose `state` is lost: it would write all of its rows a second time, and not know it."""
    for used in tables:
        table = _table(used)
        if isinstance(used, Read) or not is_exactly_once(table) or not place_names(table):
            continue
        admin, reader = (client_of(table, role) for role in (Role.ADMIN, Role.CONSUMER))
        past = find_past(admin, reader, transaction_prefix(table, job), used.number, place_names(table)[0])
        if past is not None:
            moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(past.millis / 1000))
            raise UsageError(
                f"This job has written to '{place_names(table)[0]}' until {moment} (batch {past.batch}), exactly once, and"
                f" its state is not in '{state}'.",
                hint="Bring the state back, or start over with --fresh, which writes everything again. Another job"
                " of the same name wants another 'sink.transactional-id-prefix'.",
            )


def _table(used: Read | Write) -> Table:
    return used.sink.table if isinstance(used, Write) else used.scan.table


def _check_limits(table: Table) -> TransactionLimits:
    limits = find_limits(client_of(table, Role.ADMIN))
    check_timeout(limits, transaction_timeout(table))
    return limits


def _prepare_dead_letters(table: Table) -> str | None:
    """Makes the topic of a table's bad records if it is not there. It cannot be one that the table reads."""
    topic = dead_letter_topic(table)
    if topic is None:
        return None
    pattern = table.options.get(TOPIC_PATTERN)
    if pattern is not None and pattern.fullmatch(topic):
        raise UsageError(
            f"'error-handling.log.target' of '{table.name}' is '{topic}', which its 'topic-pattern' matches: bad records"
            " would be read again for ever.",
            hint="Choose a topic that the pattern does not match.",
        )
    create_topic(client_of(table, Role.ADMIN), topic, ignore_existing=True)
    return topic
