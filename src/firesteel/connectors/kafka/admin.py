"""Topics of a cluster: list, describe, create, delete; and two questions asked before a job starts.

`check_broker` and `check_topics` answer with a sentence instead of a job that hangs. One client per process and
configuration is kept: a fresh one costs tens of milliseconds.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # the stub exports one
    AdminClient,
    ConfigResource,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from firesteel.connectors.kafka.passing import away, error_of, is_passing, reason_of
from firesteel.errors import BrokerAwayError, OutsideError, UsageError

T = TypeVar("T")

#: How long to wait for an address that refuses connections or a name that does not exist.
_HOPELESS_AFTER = 3.0

#: Errors of the request for a topic's id that are ignored: the request for its offsets, which follows, reports them better.
_UNTOLD = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_AUTHORIZATION_FAILED)

#: Errors that say that the broker refuses the login, or that a certificate is not accepted.
_REFUSALS = {
    KafkaError._AUTHENTICATION: (
        "refuses the login",
        "Check the user name and the password in 'properties.sasl.jaas.config', and 'properties.sasl.mechanism'.",
    ),
    KafkaError._SSL: (
        "cannot be reached by a secure connection",
        "Check 'properties.security.protocol', 'properties.ssl.truststore.location' and the host in the broker's certificate.",
    ),
}

_MOST_BYTES = "max.message.bytes"

_EARLIEST = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
_LATEST = OffsetSpec.latest()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class Partition:
    """One partition and its watermarks: the first offset that is still there, and the one after the last."""

    index: int
    low: int
    high: int


@dataclass(frozen=True)
class Topic:
    name: str
    partitions: tuple[Partition, ...]

    @property
    def records(self) -> int:
        """Counts the offsets between the watermarks; compaction and transactions leave gaps among them."""
        return sum(partition.high - partition.low for partition in self.partitions)


class _Client:
    """An admin client that prints nothing and remembers librdkafka's last errors."""

    def __init__(self, config: Mapping[str, str]) -> None:
        self.heard: list[KafkaError] = []
        # librdkafka would write its errors to standard error, in the middle of our own output.
        quiet: dict[str, object] = {"log_level": 0, "error_cb": self.heard.append}
        try:
            self.admin = AdminClient({**config, **quiet})  # type: ignore[dict-item]  # its stub knows fewer types
        except KafkaException as error:
            told = reason_of(error).removeprefix("Failed to create admin client: ")
            if "No provider for SASL mechanism GSSAPI" in told:
                raise UsageError(
                    "'properties.sasl.mechanism' is 'GSSAPI', and the Kafka client that pip installs is built without Kerberos.",
                    hint="Install it from its source, with libsasl2 at hand: pip install --no-binary :all: confluent-kafka",
                ) from None
            raise UsageError(f"The Kafka client does not take its settings: {told}.") from error

    def why(self) -> str | None:
        """Return the last error that says more than that no broker answered."""
        self.admin.poll(0)
        telling = [error for error in self.heard if error.code() != KafkaError._ALL_BROKERS_DOWN]
        return telling[-1].str() if telling else None

    def refusal(self) -> KafkaError | None:
        """Return the broker's reason for refusing the login or certificate, which no retry can mend."""
        self.admin.poll(0)
        return next((error for error in self.heard if error.code() in _REFUSALS), None)

    def is_hopeless(self) -> bool:
        self.admin.poll(0)
        return any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in self.heard) and all(
            error.code() in (KafkaError._RESOLVE, KafkaError._ALL_BROKERS_DOWN) or "refused" in error.str()
            for error in self.heard
        )


_clients: dict[tuple[int, frozenset[tuple[str, str]]], _Client] = {}


def _client(config: Mapping[str, str]) -> _Client:
    # A client does not survive a fork: the pid keeps a child from using its parent's.
    key = (os.getpid(), frozenset(config.items()))
    if key not in _clients:
        _clients[key] = _Client(config)
    return _clients[key]


def close_clients() -> None:
    """Close every client of this process. Clients that are destroyed while Python shuts down can hang."""
    _clients.clear()


def check_broker(client_config: Mapping[str, str], timeout: float = 10.0) -> None:
    """Raise `OutsideError` unless a broker of the cluster answers in time."""
    client = _client(client_config)
    client.heard.clear()
    started = time.monotonic()
    while True:
        left = timeout - (time.monotonic() - started)
        try:
            client.admin.list_topics(timeout=max(0.1, min(1.0, left)))
            return
        except KafkaException as error:
            why = client.why() or reason_of(error)
            waited = time.monotonic() - started
            address = client_config.get("bootstrap.servers", "")
            refusal = client.refusal()
            if refusal is not None:
                what, hint = _REFUSALS[refusal.code()]
                raise OutsideError(
                    f"The Kafka broker at '{address}' {what}: {_refused_because(refusal)}.", hint=hint
                ) from None
            if waited < timeout and not (waited > _HOPELESS_AFTER and client.is_hopeless()):
                # A connection that is refused fails at once.
                time.sleep(min(0.1, timeout - waited))
                continue
            raise OutsideError(
                f"No Kafka broker answers at '{address}': {_plain(why)}.",
                hint="Check the address and that the broker runs; 'firesteel broker start' starts one on this machine.",
            ) from error


def check_topics(client_config: Mapping[str, str], names: Iterable[str], timeout: float = 10.0) -> None:
    """Raise `OutsideError` unless all these topics exist."""
    there = _partition_counts(client_config, timeout)
    missing = sorted({name for name in names if name not in there})
    if not missing:
        return
    sentences = []
    for name in missing:
        near = get_close_matches(name, there, n=1)
        sentences.append(f"Topic '{name}' does not exist." + (f" Did you mean '{near[0]}'?" if near else ""))
    cure = " and ".join(f"'firesteel topic create {name}'" for name in missing)
    raise OutsideError(
        " ".join(sentences), hint=f"Create it with {cure}." if len(missing) == 1 else f"Create them with {cure}."
    )


def list_topics(
    client_config: Mapping[str, str], *, internal: bool = False, timeout: float = 10.0
) -> tuple[Topic, ...]:
    """List every topic in order of its name; Kafka's own (`__consumer_offsets`) only on request."""
    names = [name for name in _partition_counts(client_config, timeout) if internal or not name.startswith("__")]
    return describe_topics(client_config, names, timeout)


def describe_topics(client_config: Mapping[str, str], names: Iterable[str], timeout: float = 10.0) -> tuple[Topic, ...]:
    """Describe these topics with their partitions and watermarks, in order of their names."""
    wanted = sorted(set(names))
    check_topics(client_config, wanted, timeout)
    counts = _partition_counts(client_config, timeout)
    places = [TopicPartition(name, index) for name in wanted for index in range(counts[name])]
    low = _offsets(client_config, places, _EARLIEST, timeout)
    high = _offsets(client_config, places, _LATEST, timeout)
    return tuple(
        Topic(name, tuple(Partition(i, low[name, i], high[name, i]) for i in range(counts[name]))) for name in wanted
    )


def topic_ids(client_config: Mapping[str, str], names: Iterable[str], timeout: float = 60.0) -> dict[str, str]:
    """Look up Kafka's id of each topic, which differs when a topic was deleted and created again. Brokers before 2.8 have none."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    asked = _client(client_config).admin.describe_topics(TopicCollection(wanted), request_timeout=timeout)
    found: dict[str, str] = {}
    for name, future in asked.items():
        try:
            found[name] = str(_result(future, timeout).topic_id)
        except KafkaException as error:
            if is_passing(error_of(error)):
                raise away(reason_of(error)) from None
            if error.args[0].code() not in _UNTOLD:
                raise OutsideError(f"Kafka does not describe '{name}': {reason_of(error)}.") from error
    return {name: topic_id for name, topic_id in found.items() if topic_id.strip("A=")}


def create_topic(
    client_config: Mapping[str, str],
    name: str,
    *,
    partitions: int = 1,
    settings: Mapping[str, str] | None = None,
    replication: int = -1,
    ignore_existing: bool = False,
    timeout: float = 10.0,
) -> bool:
    """Create a topic and wait until it can be written. False: it was there already.

    `replication` -1 leaves the number of copies to the cluster.
    """
    check_broker(client_config, timeout)
    topic = NewTopic(name, num_partitions=partitions, replication_factor=replication, config=dict(settings or {}))
    try:
        _result(_client(client_config).admin.create_topics([topic])[name], timeout)
    except KafkaException as error:
        if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
            if ignore_existing:
                return False
            raise UsageError(
                f"Topic '{name}' exists already.", hint="Choose another name, or delete it first."
            ) from error
        raise UsageError(f"Topic '{name}' cannot be created: {reason_of(error)}.") from error
    _wait(lambda: _partition_counts(client_config, timeout).get(name) == partitions, f"Topic '{name}'", timeout)
    # The cluster's list has it, but its partitions are opened a moment later.
    _offsets(client_config, [TopicPartition(name, i) for i in range(partitions)], _LATEST, timeout)
    return True


def delete_topic(
    client_config: Mapping[str, str], name: str, *, ignore_missing: bool = False, timeout: float = 10.0
) -> bool:
    """Delete a topic and wait until it is gone. False: it was not there."""
    if ignore_missing and name not in _partition_counts(client_config, timeout):
        return False
    check_topics(client_config, [name], timeout)
    try:
        _result(_client(client_config).admin.delete_topics([name])[name], timeout)
    except KafkaException as error:
        raise OutsideError(f"Topic '{name}' cannot be deleted: {reason_of(error)}.") from error
    _wait(lambda: name not in _partition_counts(client_config, timeout), f"The deletion of topic '{name}'", timeout)
    return True


def broker_settings(client_config: Mapping[str, str], names: Iterable[str], timeout: float = 10.0) -> dict[str, int]:
    """Read these numbers from a broker's configuration; those that the client may not read are left out."""
    admin = _client(client_config).admin
    try:
        number = next(iter(admin.list_topics(timeout=timeout).brokers))
        resource = ConfigResource(ResourceType.BROKER, str(number))
        told = _result(admin.describe_configs([resource], request_timeout=timeout)[resource], timeout)
    except (KafkaException, StopIteration, OutsideError):
        return {}
    values = {name: told[name].value for name in names if name in told}
    return {name: int(value) for name, value in values.items() if value and value.lstrip("-").isdecimal()}


def most_bytes(client_config: Mapping[str, str], topics: Iterable[str], timeout: float = 10.0) -> dict[str, int]:
    """Read the largest message that each topic takes, with Kafka's overhead; topics that the client may not read are left out."""
    resources = {topic: ConfigResource(ResourceType.TOPIC, topic) for topic in topics}
    if not resources:
        return {}
    found: dict[str, int] = {}
    with suppress(KafkaException, OutsideError):
        asked = _client(client_config).admin.describe_configs(list(resources.values()), request_timeout=timeout)
        for topic, resource in resources.items():
            value = _result(asked[resource], timeout)[_MOST_BYTES].value
            if value and value.isdecimal():
                found[topic] = int(value)
    return found


def group_names(client_config: Mapping[str, str], timeout: float = 10.0) -> list[str]:
    """List the consumer groups of the cluster that the client may see."""
    try:
        told = _result(_client(client_config).admin.list_consumer_groups(request_timeout=timeout), timeout)
    except (KafkaException, OutsideError):
        return []
    return [group.group_id for group in told.valid]


def _partition_counts(config: Mapping[str, str], timeout: float) -> dict[str, int]:
    """Count the partitions of every topic whose partitions all have a leader."""
    try:
        listed = _client(config).admin.list_topics(timeout=min(2.0, timeout)).topics
    except KafkaException:
        # Ask again with a longer time limit, and with a sentence for the case that no broker answers.
        check_broker(config, timeout)
        listed = _client(config).admin.list_topics(timeout=timeout).topics
    return {
        name: len(topic.partitions)
        for name, topic in sorted(listed.items())
        if topic.error is None and all(partition.leader >= 0 for partition in topic.partitions.values())
    }


def _offsets(
    config: Mapping[str, str], places: list[TopicPartition], spec: OffsetSpec, timeout: float
) -> dict[tuple[str, int], int]:
    if not places:
        return {}
    deadline = time.monotonic() + timeout
    while True:
        asked = _client(config).admin.list_offsets(dict.fromkeys(places, spec), request_timeout=timeout)
        try:
            return {(place.topic, place.partition): _result(future, timeout).offset for place, future in asked.items()}
        except KafkaException as error:
            settling = is_passing(error_of(error)) or error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
            if not settling or time.monotonic() > deadline:
                names = ", ".join(sorted({f"'{place.topic}'" for place in places}))
                raise OutsideError(f"Kafka does not tell the offsets of {names}: {reason_of(error)}.") from error
        time.sleep(0.02)


def _result(future: Future[T], timeout: float) -> T:
    try:
        return future.result(timeout + 5)
    except TimeoutError:
        raise BrokerAwayError(
            f"Kafka has not answered within {timeout + 5:.0f} s.", hint="Look at the brokers, and try again."
        ) from None


def _wait(done: Callable[[], bool], what: str, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not done():
        if time.monotonic() > deadline:
            raise OutsideError(
                f"{what} is not seen by the brokers after {timeout:.0f} s.", hint="Try again in a while."
            )
        time.sleep(0.02)


def _refused_because(error: KafkaError) -> str:
    """Strip librdkafka's and OpenSSL's prefixes from an error.

    >>> _refused_because(KafkaError(KafkaError._SSL, "ssl://b:1/bootstrap: SSL handshake failed: error:0A000086:SSL "
    ... "routines::certificate verify failed: broker certificate could not be verified (after 4ms in state SSL)"))
    'certificate verify failed: broker certificate could not be verified'
    """
    text = error.str().split(" (after ")[0].partition("/bootstrap: ")[2] or error.str().split(" (after ")[0]
    for mark in ("SSL handshake failed: ", "SASL authentication error: "):
        text = text.removeprefix(mark)
    return re.sub(r"^error:[^:]*:[^:]*:[^:]*:", "", text).strip(" .")


def _plain(why: str) -> str:
    """Strip librdkafka's prefix and suffix from an error.

    >>> _plain("127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms in state X)")
    'Connection refused'
    """
    text = why.split(" (after ")[0]
    for mark in (" failed: ", "/bootstrap: "):
        text = text.rpartition(mark)[2]
    return text.rstrip(".")
