"""Which partition of its topic a message goes to."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

from firesteel.errors import JobError
from firesteel.kafka.position import Subscription, find_partitions
from firesteel.kafka.reader import consumer_for
from firesteel.kafka.writer import ANY_PARTITION
from firesteel.options.partitioner import Custom, Default, Fixed, Partitioner, RoundRobin

#: From key, value and topic to the partition.
PartitionChooser = Callable[[bytes | None, bytes | None, str], int]


def make_chooser(partitioner: Partitioner, config: Mapping[str, str], task: int) -> PartitionChooser:
    """The choice for one writing task. `default` and `round-robin` leave it to the client, as Flink does."""
    known: dict[str, list[int]] = {}

    def numbers(topic: str) -> list[int]:
        if topic not in known:
            known[topic] = _numbers(config, topic)
        return known[topic]

    match partitioner:
        case Default() | RoundRobin():
            return lambda key, value, topic: ANY_PARTITION
        case Fixed():
            return lambda key, value, topic: numbers(topic)[task % len(numbers(topic))]
        case Custom(path=path):
            chooser = load_partitioner(path)()
            return lambda key, value, topic: chooser.partition(key, value, topic, numbers(topic))


def load_partitioner(path: str) -> type:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise JobError(
            f"The partitioner '{path}' cannot be imported.",
            hint="Name a Python class as package.module.Class that Spark's workers can import.",
        ) from None
    assert isinstance(found, type)
    return found


def _numbers(config: Mapping[str, str], topic: str) -> list[int]:
    return [number for _, number in find_partitions(consumer_for(config), Subscription((topic,)))]
