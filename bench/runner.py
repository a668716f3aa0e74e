"""An engine's process, which runs scripts one after the other, and what each run costs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.engine import Engine
from bench.process import CpuMeter, Memory, memory_of

_JOBS = Path(__file__).parent / "job"


@dataclass(frozen=True)
class Run:
    """`written` is how many rows the job says it has written, where it says so."""

    seconds: float
    cpu: float
    written: int = 0


class Runner:
    """Starts an engine's process with `start`, which runs its first script, and runs the next one at each call of `run`."""

    def __init__(
        self, title: str, launch: Callable[[], subprocess.Popen[str]], log: Path, max_seconds: float = 600.0
    ) -> None:
        self._title, self._launch, self._log, self._max_seconds = title, launch, log, max_seconds
        self._memory: list[Memory] = []
        self.runs: list[Run] = []
        self.problem: str | None = None

    @property
    def peak(self) -> Memory:
        """The most memory of all runs."""
        return Memory(
            max((one.total for one in self._memory), default=0), max((one.unclean for one in self._memory), default=0)
        )

    def tell(self, what: str) -> None:
        print(f"  {self._title}{self.problem or what}", flush=True)

    def start(self) -> Run:
        """Runs the first script, in a new process."""
        began = time.monotonic()
        self._process = self._launch()
        self._meter = CpuMeter(self._process.pid)
        written = self._await_end()
        return Run(time.monotonic() - began, self._meter.read(), written)

    def run(self) -> None:
        """Runs the next script, unless one has failed."""
        if self.problem:
            return
        began, cpu = time.monotonic(), self._meter.read()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write("go\n")
            self._process.stdin.flush()
        written = self._await_end()
        run = Run(time.monotonic() - began, self._meter.read() - cpu, written)
        self.runs.append(run)
        self.tell(f"{run.seconds:.1f} s, {run.cpu:.1f} s of CPU")

    def _await_end(self) -> int:
        """Waits for the end of the run, or of the process. Returns the number of rows written, if it is told."""
        process = self._process
        assert process.stdout is not None
        killer = threading.Timer(self._max_seconds, process.kill)
        killer.start()
        with (
            # Adding up a process's pages takes a while.
            repeated(2.0, lambda: self._memory.append(memory_of(process.pid))),
            repeated(0.5, self._meter.read),
        ):
            try:
                end = next((line.split() for line in process.stdout if line.startswith("end")), None)
            finally:
                killer.cancel()
        if end is None:
            self.problem = why(self._log.read_text(errors="replace"), process.wait())
        return int(end[2]) if end and len(end) > 2 else 0


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
def repeated(seconds: float, action: Callable[[], object]) -> Iterator[None]:
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
