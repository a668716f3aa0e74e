"""What the tests share: one broker for all of them, started when the first test asks for it."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING

import pytest

from firesteel.connectors.kafka.admin import close_clients, create_topic
from firesteel.dev.broker.broker import Broker, start_broker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.jobs.case import Case
    from tests.kafka.kafka_secure import Certificates


# The JVMs of a test live for seconds: what the second compiler makes of their code would hardly ever run.
os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


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
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Certificates and key stores for the secured broker and its clients."""
    from tests.kafka.kafka_secure import Certificates

    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def secure_broker(certificates: Certificates) -> Iterator[Broker]:
    """A broker that also listens on SSL, SASL_PLAINTEXT and SASL_SSL."""
    from tests.kafka.kafka_secure import start_secure_broker

    with start_secure_broker(certificates) as started:
        yield started
        close_clients()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """One Spark for all tests, in this process. Each job has a session of its own on it."""
    from firesteel.spark.start.master import local_master
    from firesteel.spark.start.session import open_session

    session = open_session(local_master(2), {}, tmp_path_factory.mktemp("spark") / "spark.log")
    yield session
    session.stop()


def _runs_behind(item: pytest.Item) -> bool:
    return item.get_closest_marker("behind") is not None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Cases come last: their jobs run behind the other tests, which mostly wait, and are only asked for here."""
    items.sort(key=_runs_behind)


@pytest.fixture(scope="session", autouse=True)
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Future[list[str]]]]:
    """What differs in each case that was chosen, by its name. The cases start with the first test."""
    chosen: list[Case] = [item.callspec.params["case"] for item in request.session.items if _runs_behind(item)]  # type: ignore[attr-defined]  # they have parameters
    if not chosen:
        yield {}
        return
    from tests.jobs.outcome import running

    cluster, spark = request.getfixturevalue("cluster"), request.getfixturevalue("spark")
    with running(chosen, cluster, spark, tmp_path_factory.mktemp("cases")) as outcomes:
        yield outcomes


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
