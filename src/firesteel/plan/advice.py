"""Legal and dangerous, seen from the whole job: warnings that no single table could give. Each says its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from firesteel.catalog.table import Table
from firesteel.changelog import INSERT_ONLY
from firesteel.errors import Problem, Severity, Span
from firesteel.options.kafka import BOOTSTRAP_SERVERS, SINK_PARTITIONER, TOPIC, TOPIC_PATTERN
from firesteel.options.partitioner import Custom
from firesteel.options.setting import STATE_TTL
from firesteel.plan.delivery import advise_delivery
from firesteel.plan.node import Sink, scans
from firesteel.plan.state import TTL_HAS_EFFECT, State, plan_state

#: Kafka's limit.
_LONGEST_TOPIC = 249
_SIMPLE = re.compile(r"[^(*+?{]*(?:[*+?][^(*+?{]*){0,2}")


def advise(sinks: tuple[Sink, ...], settings: Mapping[str, object]) -> tuple[Problem, ...]:
    delivery = (problem for sink in sinks for problem in advise_delivery(sink))
    scattered = (problem for sink in sinks for problem in _scattered(sink))
    return (*_endless_state(sinks, settings), *_loops(sinks), *_shared_topics(sinks), *scattered, *delivery)


def _scattered(sink: Sink) -> Iterator[Problem]:
    """Only a key, or a class of the user's, keeps the changes of a row in one partition."""
    table = sink.table
    if table.connector != "kafka" or table.key_format is not None or sink.changelog == INSERT_ONLY:
        return
    partitioner = table.options.get(SINK_PARTITIONER)
    if isinstance(partitioner, Custom):
        return
    yield _warning(
        f"'{table.name}' gets updates or deletes, and its messages have no key: those of one row go to different partitions"
        " and lose their order.",
        sink.span,
        "Add 'key.format' and 'key.fields' with the columns that tell rows apart, unless the topic has one partition.",
    )


def _endless_state(sinks: Iterable[Sink], settings: Mapping[str, object]) -> Iterator[Problem]:
    """Once for a job: the setting is the job's, and says it for all of them."""
    # '0' says that this is meant.
    if STATE_TTL.key in settings:
        return
    growing = [state for sink in sinks for state in plan_state(sink) if state.grows]
    if growing:
        cure = ": 'table.exec.state.ttl' is not set." if TTL_HAS_EFFECT else "."
        yield _warning(f"State grows with {_growth(growing[0])} and is kept for ever{cure}", growing[0].node.span)


def _growth(state: State) -> str:
    parts = [f"each new {', '.join(state.key)}"] if state.key else []
    return " and ".join([*parts, *(f"each distinct {column}" for column in state.distinct)]) or "every row"


class _Topics:
    """The topics of a table, on its cluster."""

    def __init__(self, table: Table) -> None:
        options = table.options
        self.cluster = options.get(BOOTSTRAP_SERVERS) or options.properties.get("bootstrap.servers", "")
        self.names: tuple[str, ...] = options.get(TOPIC) or ()
        self.pattern = options.get(TOPIC_PATTERN)

    def shared(self, other: _Topics) -> str | None:
        """A topic that both have."""
        if self.cluster != other.cluster:
            return None
        for one, two in ((self, other), (other, self)):
            for name in one.names:
                if name in two.names or two.matches(name):
                    return name
        return None

    def matches(self, name: str) -> bool:
        # A pattern with groups or many repetitions can take for ever to say no, and this is only advice.
        if self.pattern is None or len(name) > _LONGEST_TOPIC or not _SIMPLE.fullmatch(self.pattern.pattern):
            return False
        return self.pattern.fullmatch(name) is not None


def _loops(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    """Rows that a job writes and reads again, through one INSERT or several."""
    written = [_Topics(sink.table) for sink in sinks]
    read = [[_Topics(scan.table) for scan in scans(sink)] for sink in sinks]
    feeds: list[list[tuple[int, str]]] = []
    for output in written:
        found = []
        for reader, inputs in enumerate(read):
            topic = next((name for source in inputs if (name := output.shared(source))), None)
            if topic is not None:
                found.append((reader, topic))
        feeds.append(found)
    for number, sink in enumerate(sinks):
        topic = _way_back(number, feeds)
        if topic is not None:
            through = "" if any(reader == number for reader, _ in feeds[number]) else ", through the other INSERTs"
            yield _warning(
                f"'{topic}' is written here and read again by the same job{through}: what it writes comes back for ever.",
                sink.span,
                "Write to another topic, unless the rows that come back are filtered out.",
            )


def _way_back(start: int, feeds: list[list[tuple[int, str]]]) -> str | None:
    """The topic by which the output of an INSERT begins its way back to it."""
    for first, topic in feeds[start]:
        reached, waiting = {first}, [first]
        while waiting:
            for reader, _ in feeds[waiting.pop()]:
                if reader not in reached:
                    reached.add(reader)
                    waiting.append(reader)
        if start in reached:
            return topic
    return None


def _shared_topics(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    upserts = [(sink, _Topics(sink.table)) for sink in sinks if sink.table.connector == "upsert-kafka"]
    for number, (sink, topics) in enumerate(upserts):
        shared = next((topic for _, other in upserts[:number] if (topic := topics.shared(other))), None)
        if shared is not None:
            yield _warning(
                f"'{shared}' is written by an INSERT before this one too: of two rows with one key the later one stays, "
                "and a delete removes both.",
                sink.span,
                "Write to two topics, unless the keys always differ.",
            )


def _warning(message: str, span: Span | None, hint: str | None = None) -> Problem:
    return Problem(message, span, hint, Severity.WARNING)
