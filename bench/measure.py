"""One engine on one workload: a process of its own that runs the job several times, and what that costs.

The first run is cold: it counts for the time to the first result, from the start of the process. The others are warm, and the
best of them is what is reported: whatever else the machine does only adds.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition

from bench.engine import Engine
from bench.process import CpuMeter, memory_bytes
from bench.workload import Workload
from firesteel.dev.pageviews import PageViews
from firesteel.kafka.admin import create_topic

_JOBS = Path(__file__).parent / "job"
_MAX_SECONDS = 900


@dataclass(frozen=True)
class Run:
    seconds: float
    cpu: float


@dataclass(frozen=True)
class Measured:
    """`problem` says why there are no figures."""

    workload: str
    engine: str
    rows: int
    runs: tuple[Run, ...] = ()
    first_result: float | None = None
    peak_memory: int = 0
    problem: str | None = None

    @property
    def rows_per_second(self) -> float:
        return max((self.rows / run.seconds for run in self.runs[1:] or self.runs), default=0.0)

    @property
    def cpu_micros(self) -> float:
        return min((run.cpu / self.rows * 1e6 for run in self.runs[1:] or self.runs), default=0.0)


def measure(
    engine: Engine, workload: Workload, views: PageViews, bootstrap: str, source: str, *, runs: int, partitions: int = 4
) -> Measured:
    cluster = {"bootstrap.servers": bootstrap}
    stamp = f"{int(time.time() * 1000):x}"
    sinks = [f"{workload.name}-{engine.name}-{stamp}-{number}" for number in range(runs)]
    for sink in sinks:
        create_topic(cluster, sink, partitions=partitions)
    blank = Measured(workload.name, engine.name, views.rows)
    with tempfile.TemporaryDirectory(prefix="firesteel-bench-") as folder:
        order = _order(engine, workload, views, bootstrap, source, sinks, Path(folder))
        try:
            measured = _run(engine, order, blank, cluster, sinks, Path(folder) / "job.log")
        except RuntimeError as error:
            return Measured(workload.name, engine.name, views.rows, problem=str(error))
    for sink in sinks:
        wrong = workload.check(cluster, sink, views)
        if wrong:
            return Measured(workload.name, engine.name, views.rows, problem=f"wrong answer: {wrong[0]}")
    return measured


def _order(
    engine: Engine, workload: Workload, views: PageViews, bootstrap: str, source: str, sinks: list[str], folder: Path
) -> Path:
    scripts = []
    for number, sink in enumerate(sinks):
        script = folder / f"run{number}.sql"
        script.write_text(workload.script.format(bootstrap=bootstrap, source=source, sink=sink))
        scripts.append(script)
    about = {"workload": workload.name, "sinks": sinks, "source": source, "bootstrap": bootstrap, "rows": views.rows}
    return write_order(engine, scripts, folder, **about)


def _run(
    engine: Engine, order: Path, blank: Measured, cluster: dict[str, str], sinks: list[str], log: Path
) -> Measured:
    runs: list[Run] = []
    began = time.monotonic()
    with (
        running_job(engine, order, log, _MAX_SECONDS) as process,
        _first_record(cluster, sinks[0]) as first,
        _peak_memory(process.pid) as peak,
        _metered(process.pid) as meter,
    ):
        assert process.stdout is not None
        start, cpu = began, 0.0
        for line in process.stdout:
            if line.startswith("begin"):
                # The first run pays for the start of everything.
                start, cpu = (time.monotonic(), meter.read()) if runs else (began, 0.0)
            elif line.startswith("end"):
                runs.append(Run(time.monotonic() - start, meter.read() - cpu))
                if len(runs) == len(sinks):
                    # Whatever it has started holds its output open for some seconds more.
                    break
        status = process.wait()
    if status != 0 or not runs:
        raise RuntimeError(why(log.read_text(errors="replace"), status))
    found = None if not first else first[0] - began
    return Measured(blank.workload, blank.engine, blank.rows, tuple(runs), found, max(peak, default=0))


@contextmanager
def running_job(engine: Engine, order: Path, log: Path, seconds: float) -> Iterator[subprocess.Popen[str]]:
    """The engine's process, which runs what `order` says and tells on its output when each script begins and ends. It lives so
    many seconds at most, and what it has started ends with it.
    """
    command = [str(engine.python()), str(_JOBS / f"{engine.job}_job.py"), str(order)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK_", "SPARK_"))}
    if engine.job != "firesteel":
        environment.pop("PYTHONPATH", None)
    with log.open("w") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, start_new_session=True
        )
    killer = threading.Timer(seconds, process.kill)
    killer.start()
    try:
        yield process
    finally:
        killer.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def write_order(engine: Engine, scripts: Sequence[Path], folder: Path, **more: object) -> Path:
    """What a job's process is to do, as it reads it; `more` is for those that do not run the script itself."""
    path = folder / "order.json"
    order = {
        "scripts": [str(script) for script in scripts],
        "settings": dict(engine.settings),
        "jars": [str(jar) for jar in engine.jars()],
        "folder": str(folder),
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
    ended = threading.Event()

    def watch() -> None:
        consumer = Consumer({**cluster, "group.id": "bench-watch"})
        partitions = [TopicPartition(topic, one) for one in consumer.list_topics(topic, 10).topics[topic].partitions]
        while not ended.wait(0.05) and not seen:
            for partition in partitions:
                try:
                    if consumer.get_watermark_offsets(partition, timeout=2)[1] > 0:
                        seen.append(time.monotonic())
                        break
                except KafkaException:
                    continue
        consumer.close()

    with _thread(watch, ended):
        yield seen


@contextmanager
def _peak_memory(pid: int) -> Iterator[list[int]]:
    found: list[int] = []
    ended = threading.Event()

    def watch() -> None:
        # Adding up a process's pages takes a while.
        while not ended.wait(2.0):
            found.append(memory_bytes(pid))

    with _thread(watch, ended):
        yield found


@contextmanager
def _metered(pid: int) -> Iterator[CpuMeter]:
    meter = CpuMeter(pid)
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.5):
            meter.read()

    with _thread(watch, ended):
        yield meter


@contextmanager
def _thread(watch: object, ended: threading.Event) -> Iterator[None]:
    thread = threading.Thread(target=watch, daemon=True)  # type: ignore[arg-type]
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)
