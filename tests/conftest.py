"""What the tests share: one broker for all of them, started when the first test asks for it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from firesteel.dev.broker import Broker, start_broker
from firesteel.kafka.admin import close_clients, create_topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def broker() -> Iterator[Broker]:
    """A real Kafka on a free port; it dies with this process. Tests share it, so each uses topics of its own."""
    with start_broker() as started:
        yield started
        close_clients()


@pytest.fixture(scope="session")
def cluster(broker: Broker) -> dict[str, str]:
    """The client configuration of the shared broker."""
    return {"bootstrap.servers": broker.bootstrap}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One Spark for all tests, in this process. Each job has a session of its own on it."""
    from firesteel.spark.session import open_session

    session = open_session("local[2]", {}, tmp_path_factory.mktemp("spark") / "spark.log")
    yield session
    session.stop()


_numbers = itertools.count(1)


@pytest.fixture
def make_topic(cluster: dict[str, str], request: pytest.FixtureRequest) -> Callable[..., str]:
    """Creates a topic named after the test: `name = make_topic(partitions=4)`."""

    def make(partitions: int = 1, **settings: str) -> str:
        name = f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', request.node.name)[:80]}-{next(_numbers)}"
        create_topic(
            cluster, name, partitions=partitions, settings={k.replace("_", "."): v for k, v in settings.items()}
        )
        return name

    return make
