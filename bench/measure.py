"""Engines on one workload: each in a process of its own that runs the job several times, and what that costs.

The first run is cold, on a small topic: it counts for the time to the first result, from the start of the process. The
others are warm, on the whole topic, and the mean of their better half is what is reported: whatever else the machine does only
adds, and one run may be lucky. Engines that are compared run in turns, so that a slow minute of the machine is everybody's, and as
often as one another, so that a JVM that gets faster has as many runs to do so as the next.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from confluent_kafka import Consumer, KafkaException, TopicPartition

from bench.answer import read_blocks
from bench.engine import Engine
from bench.runner import Run, Runner, repeated, running_job, write_order
from bench.workload import Workload
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.pageviews import PageViews, fill_topic


@dataclass(frozen=True)
class Measured:
    """`runs` are the warm ones. `problem` says why there are no figures."""

    workload: str
    engine: str
    rows: int
    runs: tuple[Run, ...] = ()
    first_result: float | None = None
    peak_memory: int = 0
    problem: str | None = None

    @property
    def rows_per_second(self) -> float:
        return self.rows / better_half(run.seconds for run in self.runs) if self.runs else 0.0

    @property
    def cpu_micros(self) -> float:
        return better_half(run.cpu for run in self.runs) / self.rows * 1e6 if self.runs else 0.0


def better_half(costs: Iterable[float]) -> float:
    """Its mean.

    >>> better_half([3.0, 2.5, 9.0, 3.5]), better_half([3.0, 2.5, 3.5]), better_half([3.1])
    (2.75, 2.75, 3.1)
    """
    ordered = sorted(costs)
    return fmean(ordered[: (len(ordered) + 1) // 2])


@dataclass(frozen=True)
class Topic:
    """A topic on a broker, and what it is filled with."""

    bootstrap: str
    name: str
    views: PageViews
    partitions: int

    @property
    def cluster(self) -> dict[str, str]:
        return {"bootstrap.servers": self.bootstrap}

    def fill(self) -> None:
        create_topic(self.cluster, self.name, partitions=self.partitions)
        fill_topic(self.cluster, self.name, self.views, self.partitions)


def make_topic(bootstrap: str, workload: Workload, rows: int, users: int, partitions: int) -> Topic:
    """A topic with the rows that the workload reads, which has been read once."""
    topic = Topic(bootstrap, f"pageviews-{workload.source}-{rows}", workload.views(rows, users), partitions)
    topic.fill()
    # The engine that runs first is not to meet a broker that has never been read from.
    for _ in read_blocks(topic.cluster, topic.name):
        pass
    return topic


def measure(engines: Iterable[Engine], workload: Workload, small: Topic, whole: Topic, rounds: int) -> list[Measured]:
    """`rounds` is how often each of them runs warm."""
    with ExitStack() as stack:
        runners = [stack.enter_context(_runner(engine, workload, [small, *[whole] * rounds])) for engine in engines]
        for runner in runners:
            runner.start()
        for _ in range(rounds):
            for runner in runners:
                runner.run()
    return [runner.measured() for runner in runners]


class _Engine:
    """An engine that runs the workload once cold, with `start`, and once more at each call of `run`."""

    def __init__(
        self, engine: Engine, workload: Workload, sources: Sequence[Topic], sinks: Sequence[str], runner: Runner
    ) -> None:
        self._engine, self._workload = engine, workload
        self._sources, self._sinks = sources, sinks
        self._runner = runner
        self._first_result: float | None = None
        self.run = runner.run

    def start(self) -> None:
        began = time.monotonic()
        with _first_record(self._sources[0].cluster, self._sinks[0]) as first:
            self._runner.start()
        self._first_result = first[0] - began if first else None
        told = "no result" if self._first_result is None else f"first result after {self._first_result:.1f} s"
        self._runner.tell(told)

    def measured(self) -> Measured:
        """Looks at what was written, too."""
        name, rows, runner = self._engine.name, self._sources[-1].views.rows, self._runner
        problem = runner.problem or self._mistake()
        if problem is not None:
            return Measured(self._workload.name, name, rows, problem=problem)
        return Measured(self._workload.name, name, rows, tuple(runner.runs), self._first_result, runner.peak.total)

    def _mistake(self) -> str | None:
        ran = 1 + len(self._runner.runs)
        for source, sink in zip(self._sources[:ran], self._sinks[:ran], strict=True):
            wrong = self._workload.check(source.cluster, sink, source.views, self._engine.ends_windows)
            if wrong:
                return f"wrong answer: {wrong[0]}"
        return None


@contextmanager
def _runner(engine: Engine, workload: Workload, sources: Sequence[Topic]) -> Iterator[_Engine]:
    stamp = f"{int(time.time() * 1000):x}"
    sinks = [f"{workload.name}-{engine.name}-{stamp}-{number}" for number in range(len(sources))]
    for source, sink in zip(sources, sinks, strict=True):
        create_topic(source.cluster, sink, partitions=source.partitions)
    with tempfile.TemporaryDirectory(prefix="firesteel-bench-") as folder, ExitStack() as stack:
        order = _order(engine, workload, sources, sinks, Path(folder))
        log, title = Path(folder) / "job.log", f"{workload.name:14}{engine.title:62}"
        runner = Runner(title, lambda: stack.enter_context(running_job(engine, order, log)), log)
        yield _Engine(engine, workload, sources, sinks, runner)


def _order(engine: Engine, workload: Workload, sources: Sequence[Topic], sinks: Sequence[str], folder: Path) -> Path:
    scripts, batches = [], []
    for number, (source, sink) in enumerate(zip(sources, sinks, strict=True)):
        batches.append(-(-source.views.rows // workload.batches) if workload.batches else 0)
        script = folder / f"run{number}.sql"
        own = batches[-1] if engine.job == "firesteel" else 0
        script.write_text(workload.render_script(source.bootstrap, source.name, sink, own))
        scripts.append(script)
    return write_order(
        engine,
        scripts,
        folder,
        turns=True,
        workload=workload.name,
        bootstrap=sources[0].bootstrap,
        sources=[source.name for source in sources],
        rows=[source.views.rows for source in sources],
        batch_rows=batches,
        sinks=list(sinks),
    )


@contextmanager
def _first_record(cluster: dict[str, str], topic: str) -> Iterator[list[float]]:
    """When the first record stood in the topic."""
    seen: list[float] = []
    consumer = Consumer({**cluster, "group.id": "bench-watch"})
    partitions = [TopicPartition(topic, one) for one in consumer.list_topics(topic, 10).topics[topic].partitions]

    def look() -> None:
        for partition in () if seen else partitions:
            with suppress(KafkaException):
                if consumer.get_watermark_offsets(partition, timeout=2)[1] > 0:
                    seen.append(time.monotonic())
                    return

    with repeated(0.05, look):
        yield seen
        # A job that has ended has written; whoever looked just before sees it now.
        look()
    consumer.close()
