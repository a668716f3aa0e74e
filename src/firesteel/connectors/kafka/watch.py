"""Finds the broker that a job waits for, in the background, while no batch ends."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from firesteel.connectors.kafka.passing import reason_of

#: How long an answer may take, and how long to wait before the next request.
_REQUEST_SECONDS = 2.0
_PAUSE = 2.0
#: How many topics of a job are asked for: if a broker is away, some of them will have lost a leader.
_MOST_TOPICS = 20

#: The broker that one of librdkafka's sentences is about: `127.0.0.1:9092/1: Connect to …`.
_BROKER = re.compile(r"(?:\w+://)?([^\s/]+:\d+)/(?:bootstrap|\d+): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Absence:
    """A broker that does not answer: since when, which, and why, as far as it is known."""

    since: float
    broker: str
    why: str


class BrokerWatch:
    """`look` returns the last result and starts the next request; without `look` nothing is requested. `needed` are topics, by the
    configuration of the client that reaches them.
    """

    def __init__(self, needed: Mapping[tuple[tuple[str, str], ...], Iterable[str]]) -> None:
        self._clusters = [_Cluster(dict(config), sorted(topics)[:_MOST_TOPICS]) for config, topics in needed.items()]
        self._wanted = threading.Event()
        self._ending = threading.Event()
        self._found: Absence | None = None
        self._thread: threading.Thread | None = None

    def look(self) -> Absence | None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="broker-watch", daemon=True)
            self._thread.start()
        self._wanted.set()
        return self._found

    def stop(self) -> None:
        self._ending.set()
        self._wanted.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            if self._ending.is_set():
                return
            self._wanted.clear()
            found = [absence for cluster in self._clusters if (absence := cluster.ask()) is not None]
            self._found = min(found, key=lambda absence: absence.since, default=None)
            self._ending.wait(_PAUSE)


class _Cluster:
    """One cluster, as one client sees it."""

    def __init__(self, config: Mapping[str, str], topics: list[str]) -> None:
        self._config = config
        self._topics = topics
        self._heard: list[KafkaError] = []
        self._client: AdminClient | None = None
        self._since: float | None = None

    def ask(self) -> Absence | None:
        """Find the broker that is missing now. The client is made with the first call: most jobs never need it."""
        trouble = self._trouble()
        if trouble is None:
            self._since = None
            return None
        self._since = self._since or time.time()
        return Absence(self._since, *trouble)

    def _trouble(self) -> tuple[str, str] | None:
        """Extract the broker and the reason from librdkafka's errors."""
        self._heard.clear()
        try:
            if self._client is None:
                quiet: dict[str, object] = {"log_level": 0, "error_cb": self._heard.append}
                self._client = AdminClient({**self._config, **quiet})  # type: ignore[dict-item]  # its stub knows fewer types
            listed = [self._client.list_topics(name, timeout=_REQUEST_SECONDS) for name in self._topics]
            if not listed:
                self._client.list_topics(timeout=_REQUEST_SECONDS)
        except KafkaException as error:
            if self._client is not None:
                self._client.poll(0)
            return self._nobody_answers(reason_of(error))
        for metadata in listed:
            for name, topic in metadata.topics.items():
                for partition in topic.partitions.values():
                    if partition.leader < 0:
                        gone = sorted(set(partition.replicas) - set(metadata.brokers))
                        broker = f"broker {', '.join(map(str, gone))}" if gone else self._address
                        return broker, f"partition {partition.id} of '{name}' has no leader"
        return None

    def _nobody_answers(self, reason: str) -> tuple[str, str]:
        for error in reversed(self._heard):
            found = _BROKER.match(error.str())
            if found is not None:
                why = found.group(2).split(" (after ")[0]
                return found.group(1), why.rpartition(" failed: ")[2].rstrip(".")
        return self._address, reason

    @property
    def _address(self) -> str:
        return self._config.get("bootstrap.servers", "")
