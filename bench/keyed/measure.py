"""Runs a workload with several engines in turns.

Each engine has one process. Its first run is over a smaller topic into a topic of upserts, and its answer is compared; the others are
over the whole topic into a blackhole, in turns, and counted. A workload that writes to Kafka writes there in all runs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.engine import Engine
from bench.keyed.answer import compare
from bench.keyed.topic import Topics
from bench.keyed.workload import Workload
from bench.report import commit
from bench.runner import Run, Runner, running_job, write_order
from firesteel.connectors.kafka.admin import delete_topic

#: How long a run may take.
_MAX_SECONDS = 2400.0


@dataclass(frozen=True)
class Figures:
    """What the runs of an engine cost. `rows` is what it reads in each, `written` what it says it has written; `memory` is the peak, and
    `unclean` the peak without clean pages of files. `problem` says why there are no figures.
    """

    workload: str
    engine: str
    rows: int
    keys: int
    seconds: Sequence[float] = ()
    cpu: Sequence[float] = ()
    written: int = 0
    memory: int = 0
    unclean: int = 0
    problem: str | None = None
    commit: str = ""

    @property
    def rows_per_second(self) -> float:
        return self.rows / median(self.seconds)

    @property
    def cpu_micros(self) -> float:
        return median(self.cpu) / self.rows * 1e6

    @property
    def cpu_micros_per_change(self) -> float | None:
        """The CPU for each row written, by an engine that says how many it wrote."""
        return median(self.cpu) / self.written * 1e6 if self.written else None


def figures(name: str, engine: Engine, rows: int, keys: int, runner: Runner) -> Figures:
    """Takes what a runner has found."""
    runs: list[Run] = [] if runner.problem else runner.runs
    return Figures(
        name,
        engine.name,
        rows,
        keys,
        [round(run.seconds, 3) for run in runs],
        [round(run.cpu, 3) for run in runs],
        round(median(run.written for run in runs)) if runs else 0,
        runner.peak.total,
        runner.peak.unclean,
        runner.problem,
        commit(),
    )


@dataclass(frozen=True)
class Size:
    """How many changes and keys a run has, and one whose answer is compared."""

    rows: int
    keys: int
    checked_rows: int
    checked_keys: int
    filled: bool = False


def measure(
    workload: Workload, engines: Iterable[Engine], topics: Topics, size: Size, rounds: int, name: str = ""
) -> list[Figures]:
    """Runs each engine once to compare its answer, and `rounds` times in turns to count."""
    whole, small = (
        [topics.fill(source, one) for source, one in zip(workload.sources, changes, strict=True)]
        for changes in (
            workload.changes(size.rows, size.keys, filled=size.filled),
            workload.changes(size.checked_rows, size.checked_keys, filled=size.filled),
        )
    )
    expected = workload.expected([topic.changes.left() for topic in small])
    name = name or workload.name
    runners: list[tuple[Engine, Runner]] = []
    with ExitStack() as stack:
        sinks = _Sinks(stack, topics, name)
        for engine in engines:
            answer = sinks.add()
            scripts = [workload.render(topics.bootstrap, small, answer, checked=True)]
            for _ in range(rounds):
                sink = sinks.add() if workload.writes else ""
                scripts.append(workload.render(topics.bootstrap, whole, sink, checked=False))
            runner = _runner(stack, name, engine, scripts)
            runner.start()
            if not runner.problem:
                found = workload.read(topics.cluster, answer, expected.schema)
                wrong = compare(expected, found)
                runner.problem = f"wrong answer: {wrong}" if wrong else None
            runner.tell(f"the answer is right: {expected.height:,} rows")
            runners.append((engine, runner))
        for _ in range(rounds):
            for _, runner in runners:
                runner.run()
    rows = sum(topic.messages for topic in whole)
    return [figures(name, engine, rows, size.keys, runner) for engine, runner in runners]


class _Sinks:
    """Topics to write to, which are deleted in the end."""

    def __init__(self, stack: ExitStack, topics: Topics, workload: str) -> None:
        self._stack, self._topics = stack, topics
        self._stem = f"results-{workload}-{int(time.time() * 1000):x}"
        self.names: list[str] = []

    def add(self) -> str:
        name = f"{self._stem}-{len(self.names)}"
        self._topics.create(name)
        self._stack.callback(delete_topic, self._topics.cluster, name)
        self.names.append(name)
        return name


def _runner(stack: ExitStack, name: str, engine: Engine, scripts: Sequence[str]) -> Runner:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firesteel-bench-")))
    paths = [folder / f"run{number}.sql" for number in range(len(scripts))]
    for path, script in zip(paths, scripts, strict=True):
        path.write_text(script)
    order = write_order(engine, paths, folder, turns=True)
    log = folder / "job.log"
    return Runner(
        f"{name:12}{engine.title:62}",
        lambda: stack.enter_context(running_job(engine, order, log)),
        log,
        _MAX_SECONDS,
    )
