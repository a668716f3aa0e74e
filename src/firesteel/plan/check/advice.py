"""Gives warnings about the whole job, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from firesteel.catalog.connector import chooses_key, has_key, partitioner_class, spec_of
from firesteel.catalog.table import Table
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.connectors.spec import Places
from firesteel.errors import Problem, Severity, Span
from firesteel.options.setting import STATE_TTL
from firesteel.plan.fact.delivery import advise_delivery
from firesteel.plan.fact.state import State, plan_state
from firesteel.plan.node.relation import Sink, scans

#: Kafka's limit.
_LONGEST_TOPIC = 249
_SIMPLE = re.compile(r"[^(*+?{]*(?:[*+?][^(*+?{]*){0,2}")


def advise(sinks: tuple[Sink, ...], settings: Mapping[str, object]) -> tuple[Problem, ...]:
    delivery = (problem for sink in sinks for problem in advise_delivery(sink))
    scattered = (problem for sink in sinks for problem in _scattered(sink))
    return (*_endless_state(sinks, settings), *_loops(sinks), *_shared_topics(sinks), *scattered, *delivery)


def _scattered(sink: Sink) -> Iterator[Problem]:
    """Warns if changes of one row can go to different partitions, because the messages have no key."""
    table = sink.table
    if not chooses_key(table) or table.key_format is not None or sink.changelog == INSERT_ONLY:
        return
    if partitioner_class(table) is not None:
        return
    yield _warning(
        f"'{table.name}' gets updates or deletes, and its messages have no key: those of one row go to different partitions"
        " and lose their order.",
        sink.span,
        "Add 'key.format' and 'key.fields' with the columns that tell rows apart, unless the topic has one partition.",
    )


def _endless_state(sinks: Iterable[Sink], settings: Mapping[str, object]) -> Iterator[Problem]:
    """Warns about state that grows for ever, once per job: one setting decides it for all queries."""
    # '0' asks for state without an end.
    if STATE_TTL.key in settings:
        return
    growing = [state for sink in sinks for state in plan_state(sink) if state.grows and not state.ends]
    if growing:
        yield _warning(f"State grows with {_growth(growing[0])} and is kept for ever.", growing[0].node.span)


def _growth(state: State) -> str:
    parts = [f"each new {', '.join(state.key)}"] if state.key else []
    return " and ".join([*parts, *(f"each distinct {column}" for column in state.distinct)]) or "every row"


def _matches(places: Places, name: str) -> bool:
    # A pattern with groups or many repetitions can take exponential time to fail, and this is only advice.
    if places.pattern is None or len(name) > _LONGEST_TOPIC or not _SIMPLE.fullmatch(places.pattern.pattern):
        return False
    return places.pattern.fullmatch(name) is not None


def _places(table: Table) -> Places:
    spec = spec_of(table)
    return spec.places(table.options) if spec is not None else Places()


class _Index:
    """Finds tables by their topics without a search over all tables: a script can have thousands."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], dict[int, None]] = {}
        self._named_by: list[tuple[int, Places]] = []
        self._patterns: list[tuple[int, Places]] = []

    def add(self, owner: int, topics: Places) -> None:
        for name in topics.names:
            self._named.setdefault((topics.cluster, name), {})[owner] = None
        self._named_by.append((owner, topics))
        if topics.pattern is not None:
            self._patterns.append((owner, topics))

    def sharing(self, topics: Places) -> Iterator[tuple[int, str]]:
        """Finds owners of the same topics, each with one shared topic. An owner can be found more than once."""
        for name in topics.names:
            for owner in self._named.get((topics.cluster, name), ()):
                yield owner, name
            for owner, pattern in self._patterns:
                if pattern.cluster == topics.cluster and _matches(pattern, name):
                    yield owner, name
        if topics.pattern is not None:
            for owner, other in self._named_by:
                found = next((one for one in other.names if _matches(topics, one)), None)
                if found is not None and other.cluster == topics.cluster:
                    yield owner, found


def _loops(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    """Warns about rows that a job writes and reads again, through one INSERT or several."""
    # INSERTs that read and write the same topics are treated as one.
    kinds: dict[tuple[Places, frozenset[Places]], int] = {}
    numbers = [
        kinds.setdefault((_places(sink.table), frozenset(_places(scan.table) for scan in scans(sink))), len(kinds))
        for sink in sinks
    ]
    index = _Index()
    for number, (_, inputs) in enumerate(kinds):
        for source in inputs:
            index.add(number, source)
    feeds = [list(index.sharing(output)) for output, _ in kinds]
    rings = _rings([[reader for reader, _ in fed] for fed in feeds])
    for sink, number in zip(sinks, numbers, strict=True):
        # Written rows come back to the INSERT if one of their readers is in the same ring.
        topic = next((topic for reader, topic in feeds[number] if rings[reader] == rings[number]), None)
        if topic is not None:
            through = "" if any(reader == number for reader, _ in feeds[number]) else ", through the other INSERTs"
            yield _warning(
                f"'{topic}' is written here and read again by the same job{through}: what it writes comes back for ever.",
                sink.span,
                "Write to another topic, unless the rows that come back are filtered out.",
            )


def _rings(readers: list[list[int]]) -> list[int]:
    """Numbers the strongly connected components: two INSERTs share a number if each reads, through others, what the other writes.

    >>> _rings([[1], [2], [1], []])
    [0, 1, 1, 3]
    """
    order: list[int] = []
    seen: set[int] = set()
    for start in range(len(readers)):
        waiting = [(start, iter(readers[start]))] if start not in seen else []
        seen.add(start)
        while waiting:
            number, rest = waiting[-1]
            following = next((one for one in rest if one not in seen), None)
            if following is None:
                waiting.pop()
                order.append(number)
            else:
                seen.add(following)
                waiting.append((following, iter(readers[following])))
    writers: list[list[int]] = [[] for _ in readers]
    for number, found in enumerate(readers):
        for reader in found:
            writers[reader].append(number)
    rings = [-1] * len(readers)
    for start in reversed(order):
        reached = [start] if rings[start] < 0 else []
        ring = start
        while reached:
            number = reached.pop()
            if rings[number] < 0:
                rings[number] = ring
                reached += writers[number]
    return rings


def _shared_topics(sinks: tuple[Sink, ...]) -> Iterator[Problem]:
    index = _Index()
    for number, sink in enumerate(sinks):
        if not has_key(sink.table):
            continue
        topics = _places(sink.table)
        shared = next((topic for _, topic in index.sharing(topics)), None)
        if shared is not None:
            yield _warning(
                f"'{shared}' is written by an INSERT before this one too: of two rows with one key the later one stays, "
                "and a delete removes both.",
                sink.span,
                "Write to two topics, unless the keys always differ.",
            )
        index.add(number, topics)


def _warning(message: str, span: Span | None, hint: str | None = None) -> Problem:
    return Problem(message, span, hint, Severity.WARNING)
