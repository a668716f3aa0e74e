"""Engines on one workload: each in a process of its own that runs the job several times, and what that costs.

The first run is cold, on a small topic: it counts for the time to the first result, from the start of the process. The
others are warm, on the whole topic, and the mean of their better half is what is reported: whatever else the machine does only
adds, and one run may be lucky. Engines that are compared run in turns, so that a slow minute of the machine is everybody's, and as
often as one another, so that a JVM that gets faster has as many runs to do so as the next.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from confluent_kafka import Consumer, KafkaException, TopicPartition

from bench.answer import read_blocks
from bench.engine import Engine
from bench.process import CpuMeter, memory_bytes
from bench.workload import Workload
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.pageviews import PageViews, fill_topic

_JOBS = Path(__file__).parent / "job"
#: How long a run may take.
_MAX_SECONDS = 600


@dataclass(frozen=True)
class Run:
    seconds: float
    cpu: float


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


class _Runner:
    """An engine whose process runs the workload once cold, with `start`, and once more at each call of `run`."""

    def __init__(
        self,
        engine: Engine,
        workload: Workload,
        sources: Sequence[Topic],
        sinks: Sequence[str],
        launch: Callable[[], subprocess.Popen[str]],
        log: Path,
    ) -> None:
        self._engine, self._workload = engine, workload
        self._sources, self._sinks = sources, sinks
        self._launch, self._log = launch, log
        self._runs: list[Run] = []
        self._memory: list[int] = []
        self._first_result: float | None = None
        self._problem: str | None = None

    def start(self) -> None:
        began = time.monotonic()
        with _first_record(self._sources[0].cluster, self._sinks[0]) as first:
            self._process = self._launch()
            self._meter = CpuMeter(self._process.pid)
            self._await_end()
        self._first_result = first[0] - began if first else None
        self._tell("no result" if self._first_result is None else f"first result after {self._first_result:.1f} s")

    def _tell(self, what: str) -> None:
        print(f"  {self._workload.name:14}{self._engine.title:62}{self._problem or what}", flush=True)

    def run(self) -> None:
        if self._problem:
            return
        began, cpu = time.monotonic(), self._meter.read()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write("go\n")
            self._process.stdin.flush()
        self._await_end()
        run = Run(time.monotonic() - began, self._meter.read() - cpu)
        self._runs.append(run)
        self._tell(f"{run.seconds:.1f} s, {run.cpu:.1f} s of CPU")

    def _await_end(self) -> None:
        """The end of the run, or of the process."""
        process = self._process
        assert process.stdout is not None
        killer = threading.Timer(_MAX_SECONDS, process.kill)
        killer.start()
        with (
            # Adding up a process's pages takes a while.
            _repeated(2.0, lambda: self._memory.append(memory_bytes(process.pid))),
            _repeated(0.5, self._meter.read),
        ):
            try:
                ended = any(line.startswith("end") for line in process.stdout)
            finally:
                killer.cancel()
        if not ended:
            self._problem = why(self._log.read_text(errors="replace"), process.wait())

    def measured(self) -> Measured:
        """Looks at what was written, too."""
        name, rows = self._engine.name, self._sources[-1].views.rows
        problem = self._problem or self._mistake()
        if problem is not None:
            return Measured(self._workload.name, name, rows, problem=problem)
        peak = max(self._memory, default=0)
        return Measured(self._workload.name, name, rows, tuple(self._runs), self._first_result, peak)

    def _mistake(self) -> str | None:
        ran = 1 + len(self._runs)
        for source, sink in zip(self._sources[:ran], self._sinks[:ran], strict=True):
            wrong = self._workload.check(source.cluster, sink, source.views, self._engine.ends_windows)
            if wrong:
                return f"wrong answer: {wrong[0]}"
        return None


@contextmanager
def _runner(engine: Engine, workload: Workload, sources: Sequence[Topic]) -> Iterator[_Runner]:
    stamp = f"{int(time.time() * 1000):x}"
    sinks = [f"{workload.name}-{engine.name}-{stamp}-{number}" for number in range(len(sources))]
    for source, sink in zip(sources, sinks, strict=True):
        create_topic(source.cluster, sink, partitions=source.partitions)
    with tempfile.TemporaryDirectory(prefix="firesteel-bench-") as folder, ExitStack() as stack:
        order = _order(engine, workload, sources, sinks, Path(folder))
        log = Path(folder) / "job.log"
        yield _Runner(
            engine, workload, sources, sinks, lambda: stack.enter_context(running_job(engine, order, log)), log
        )


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
def running_job(
    engine: Engine, order: Path, log: Path, seconds: float | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The engine's process, which runs what `order` says and tells on its output when each script begins and ends. It lives so
    many seconds at most, and what it has started ends with it.
    """
    command = [str(engine.python()), str(_JOBS / f"{engine.job}_job.py"), str(order)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK_", "SPARK_"))}
    if engine.job != "firesteel":
        environment.pop("PYTHONPATH", None)
    with log.open("w") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
            start_new_session=True,
        )
    killer = threading.Timer(seconds or 0.0, process.kill)
    if seconds is not None:
        killer.start()
    try:
        yield process
    finally:
        killer.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def write_order(engine: Engine, scripts: Sequence[Path], folder: Path, **more: object) -> Path:
    """What a job's process is to do, as it reads it. `turns`: before each script but the first it waits for a line. What else
    there is in `more` is for those that do not run the script itself.
    """
    path = folder / "order.json"
    order = {
        "scripts": [str(script) for script in scripts],
        "settings": dict(engine.settings),
        "jars": [str(jar) for jar in engine.jars()],
        "folder": str(folder),
        "turns": False,
    }
    path.write_text(json.dumps(order | more))
    return path


def why(log: str, status: int) -> str:
    """The last cause that a process's log names."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    causes = [line for line in lines if "Caused by" in line or "Error" in line or "Exception" in line]
    return f"exit {status}: {(causes or lines or ['it said nothing'])[-1][:200]}"


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

    with _repeated(0.05, look):
        yield seen
        # A job that has ended has written; whoever looked just before sees it now.
        look()
    consumer.close()


@contextmanager
def _repeated(seconds: float, action: Callable[[], object]) -> Iterator[None]:
    """The action is taken again and again meanwhile."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(seconds):
            action()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)
