"""A Kafka cluster of three brokers on this machine, for tests of what a job does when one of them goes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from confluent_kafka.admin import AdminClient
from tests.deadline import wait_for

from firesteel.dev.broker.broker import Broker
from firesteel.dev.broker.download import shown_download
from firesteel.dev.broker.jars import kafka_jars
from firesteel.dev.broker.port import HOST, free_port
from firesteel.dev.broker.server import Server, java_command, prepare
from firesteel.java import find_java

_COPIES = {
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "offsets.topic.num.partitions": "3",
    "transaction.state.log.num.partitions": "3",
}


class Brokers:
    def __init__(self, brokers: list[Broker]) -> None:
        self.brokers = brokers
        self.config = {"bootstrap.servers": ",".join(broker.bootstrap for broker in brokers)}

    def await_whole(self) -> None:
        """Until every partition has all its copies."""
        admin = AdminClient({**self.config, "log_level": 0})

        def whole() -> bool:
            listed = admin.list_topics(timeout=10)
            return len(listed.brokers) == len(self.brokers) and all(
                partition.leader >= 0 and len(partition.isrs) == len(partition.replicas)
                for topic in listed.topics.values()
                for partition in topic.partitions.values()
            )

        wait_for(whole, 120, "not all copies are there")

    def roll(self, pause: float) -> None:
        """Each broker ends in order and comes back, one after the other."""
        for broker in self.brokers:
            broker.terminate()
            time.sleep(pause)
            broker.restart()
            self.await_whole()


@contextmanager
def three_brokers(heap: str = "400m") -> Iterator[Brokers]:
    java = find_java()
    with shown_download() as shown:
        jars = kafka_jars(shown)
    ports: list[int] = []
    while len(ports) < 6:
        ports.append(free_port(*ports))
    voters = ",".join(f"{number}@{HOST}:{ports[2 + number]}" for number in (1, 2, 3))
    with ExitStack() as stack:
        started = []
        for number in (1, 2, 3):
            settings = {"node.id": str(number), "controller.quorum.voters": voters, **_COPIES}
            folder = Path(tempfile.mkdtemp(prefix="firesteel-broker-"))
            server = Server(folder, ports[number - 1], ports[2 + number], heap, settings)
            prepare(server, java, jars)
            started.append(stack.enter_context(Broker(server, java_command(server, java, jars), keep_data=False)))
        # One alone does not answer: two of the three have to agree on who leads them.
        for broker in started:
            broker._await_answer()
        brokers = Brokers(started)
        brokers.await_whole()
        yield brokers
