"""What a job needs outside of Spark, checked before it starts: brokers, topics, limits, and that its state is not lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firesteel.catalog.connector import place_names
from firesteel.catalog.table import Table
from firesteel.connectors.kafka.admin import check_broker, check_topics, create_topic, most_bytes
from firesteel.connectors.kafka.client.librdkafka import Role, client_config
from firesteel.connectors.kafka.group import GroupReader
from firesteel.connectors.kafka.options import GROUP_ID, SINK_PARTITIONER, TOPIC_PATTERN
from firesteel.connectors.kafka.partitioner import Default
from firesteel.connectors.kafka.transaction.earlier import find_past
from firesteel.connectors.kafka.transaction.transaction import TransactionLimits, check_timeout, find_limits
from firesteel.connectors.kafka.write.choose_partition import check_partitioner
from firesteel.errors import UsageError
from firesteel.plan.fact.delivery import is_exactly_once
from firesteel.plan.node.relation import Sink, scans
from firesteel.spark.connector.kafka.runtime import dead_letter_topic, subscription, transaction_prefix
from firesteel.spark.connector.port import runtime_of

#: The INSERTs of a job, with the names of their queries.
NamedSinks = Sequence[tuple[str, Sink]]


@dataclass
class Outside:
    """What was found: the `topics` of the job by the configuration of the client that reaches them, `limits` of transactions by query,
    and the largest message of each topic where it is known.
    """

    topics: dict[tuple[tuple[str, str], ...], set[str]] = field(default_factory=dict)
    limits: dict[str, TransactionLimits] = field(default_factory=dict)
    most_bytes: dict[str, int] = field(default_factory=dict)


def check_outside(sinks: NamedSinks, go_on: Callable[[], None]) -> Outside:
    """Raises what is missing. `go_on` is called between questions that take time, and may raise too."""
    found = Outside()
    for _, sink in sinks:
        check_partitioner(sink.table.options.get(SINK_PARTITIONER) or Default())
        for table in (sink.table, *(scan.table for scan in scans(sink))):
            outside = runtime_of(table).topics(table)
            if outside is not None:
                config, topics = outside
                found.topics.setdefault(tuple(sorted(config.items())), set()).update(topics)
    for client, names in found.topics.items():
        check_broker(dict(client))
        check_topics(dict(client), sorted(names))
        go_on()
    for name, sink in sinks:
        if is_exactly_once(sink.table):
            found.limits[name] = _check_limits(sink.table)
        written = runtime_of(sink.table).topics(sink.table)
        if written is not None:
            found.most_bytes |= most_bytes(dict(written[0]), written[1])
        for scan in scans(sink):
            topic = _prepare_letters(scan.table)
            if topic is not None:
                found.most_bytes |= most_bytes(client_config(scan.table.options.properties, Role.ADMIN), [topic])
    return found


def check_earlier_runs(job: str, sinks: NamedSinks, state: str) -> None:
    """A job whose `state` is lost would write all of its rows a second time, and not know it."""
    for number, (_, sink) in enumerate(sinks, start=1):
        table = sink.table
        if not is_exactly_once(table) or not place_names(table):
            continue
        admin, reader = (client_config(table.options.properties, role) for role in (Role.ADMIN, Role.CONSUMER))
        past = find_past(admin, reader, transaction_prefix(table, job), number, place_names(table)[0])
        if past is not None:
            moment = time.strftime("%Y-%m-%d %H:%M", time.localtime(past.millis / 1000))
            raise UsageError(
                f"This job has written to '{place_names(table)[0]}' until {moment} (batch {past.batch}), exactly once, and"
                f" its state is not in '{state}'.",
                hint="Bring the state back, or start over with --fresh, which writes everything again. Another job"
                " of the same name wants another 'sink.transactional-id-prefix'.",
            )


def group_readers(sinks: NamedSinks) -> list[GroupReader]:
    """Everybody in the job who reads with a consumer group."""
    return [
        GroupReader(name, number, client_config(scan.table.options.properties, Role.CONSUMER), subscription(scan.table))
        for name, sink in sinks
        for number, scan in enumerate(scans(sink))
        if scan.table.options.get(GROUP_ID) is not None
    ]


def _check_limits(table: Table) -> TransactionLimits:
    limits = find_limits(client_config(table.options.properties, Role.ADMIN))
    asked = client_config(table.options.properties, Role.PRODUCER).get("transaction.timeout.ms")
    check_timeout(limits, int(asked) if asked else None)
    return limits


def _prepare_letters(table: Table) -> str | None:
    """The topic of a table's bad records, made if it is not there. It cannot be one that the table reads."""
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
    create_topic(client_config(table.options.properties, Role.ADMIN), topic, ignore_existing=True)
    return topic
