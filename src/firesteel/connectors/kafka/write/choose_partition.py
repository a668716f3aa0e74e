"""Chooses the partition of a message."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from firesteel.connectors.kafka.offset import Subscription, find_partitions
from firesteel.connectors.kafka.partitioner import Custom, Default, Fixed, Partitioner, RoundRobin
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.errors import JobError, UsageError

_CURE = "Name a Python class as package.module.Class, with a method partition(key, value, topic, partitions), that Spark's workers can import."

#: From key, value and topic to the partition.
PartitionChooser = Callable[[bytes | None, bytes | None, str], int]


def make_chooser(partitioner: Partitioner, config: Mapping[str, str], task: int) -> PartitionChooser | None:
    """Make the partition chooser of one writing task. None: `default` and `round-robin` leave it to the client, as Flink does."""
    known: dict[str, list[int]] = {}

    def numbers(topic: str) -> list[int]:
        if topic not in known:
            known[topic] = _numbers(config, topic)
        return known[topic]

    match partitioner:
        case Default() | RoundRobin():
            return None
        case Fixed():
            return lambda key, value, topic: numbers(topic)[task % len(numbers(topic))]
        case Custom():
            return _custom(partitioner, numbers)


def check_partitioner(partitioner: Partitioner) -> Partitioner:
    """Raise `UsageError` unless the user's class can be used, before the first row is written."""
    if isinstance(partitioner, Custom):
        _make(partitioner)
    return partitioner


def find_class(partitioner: Custom) -> type:
    """Find the class: installed here, or sent along from where the job was started."""
    if partitioner.loaded is not None:
        return partitioner.loaded
    found: type = getattr(importlib.import_module(partitioner.module), partitioner.class_name)
    return found


def _make(partitioner: Custom) -> Any:
    """Make an object of the class."""
    path = partitioner.path
    try:
        made = find_class(partitioner)()
    except Exception as error:  # the user's own code may raise anything
        raise UsageError(f"The partitioner '{path}' cannot be made: {_first_line(error)}.", hint=_CURE) from None
    if not callable(getattr(made, "partition", None)):
        raise UsageError(f"The partitioner '{path}' has no method 'partition'.", hint=_CURE)
    return made


def _custom(custom: Custom, numbers: Callable[[str], list[int]]) -> PartitionChooser:
    path, partitioner = custom.path, _make(custom)

    def choose(key: bytes | None, value: bytes | None, topic: str) -> int:
        there = numbers(topic)
        try:
            chosen = partitioner.partition(key, value, topic, list(there))
        except Exception as error:
            raise JobError(f"The partitioner '{path}' failed on a row for '{topic}': {_first_line(error)}.") from None
        if isinstance(chosen, bool) or not isinstance(chosen, int) or chosen not in there:
            raise JobError(
                f"The partitioner '{path}' gave {str(chosen)[:40]!r} for '{topic}', which has the partitions"
                f" {', '.join(map(str, there[:20]))}.",
                hint="Return one of the numbers in 'partitions'.",
            )
        return chosen

    return choose


def _first_line(error: Exception) -> str:
    told = str(error).strip().split("\n")[0][:200].rstrip(".")
    return f"{type(error).__name__}: {told}" if told else type(error).__name__


def _numbers(config: Mapping[str, str], topic: str) -> list[int]:
    return [number for _, number in find_partitions(consumer_for(config), Subscription((topic,)))]
