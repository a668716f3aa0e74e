"""Signals from outside: a job whose processes are killed, stopped and told to end, at moments chosen by chance.

    python -m tests.faults.storm [--rounds 200] [--seed N] [--guarantee at-least-once] [--only stops]

Rows come all the time. Each round lets one thing happen to one kind of process, and says what must follow: a job that is told to end
ends with status 0 in time, one whose JVM dies ends with 1, nothing of it is left running, and no round may last. At the
end an account of every row that knows nothing of the product (`oracle.py`): none lost; under exactly-once none twice; under
at-least-once none twice if it was only told to end.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.deadline import wait_for
from tests.faults.process import alive, descendants, jvm_of, send, workers_of
from tests.faults.soak import PARTITIONS, FaultyJob

from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker

#: How long ending may take: the time a stop has, and some for a machine with much to do.
_STOP_SECONDS = 25.0
_MORE = 20.0
#: Rows come in portions of so many, so often.
_PORTION, _PAUSE = 400, 0.2


@dataclass(frozen=True)
class Hit:
    """What is done to the processes of a job. `ends` are the statuses it may end with, none if it goes on."""

    name: str
    do: Callable[[Storm], None]
    ends: frozenset[int] = frozenset()
    #: Rows of the batch that was torn may come twice under at-least-once.
    repeats: bool = True
    #: At any moment of its start, too.
    early: bool = False


class Storm(FaultyJob):
    """The job, rows that come all the time, and what happens to it."""

    def __init__(self, cluster: Mapping[str, str], folder: Path, topics: tuple[str, str, str], guarantee: str) -> None:
        super().__init__(cluster, folder, topics, guarantee=guarantee, batch=20_000)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._sender = threading.Thread(target=self._send, daemon=True, name="sender")
        self._sender.start()

    def _send(self) -> None:
        while not self._over.wait(_PAUSE):
            self.add(_PORTION)

    def start(self) -> None:
        """A new process, if there is none: however the last one ended, that has been looked at."""
        if self.process is None or self.process.poll() is not None:
            self.launch()

    def await_progress(self) -> None:
        """Until rows come out that have not been there before."""
        before = len(self.readers[0].records)
        wait_for(lambda: len(self.readers[0].records) > before or self.is_dead(), 90, "no rows came out")
        assert not self.is_dead(), f"the job ended by itself: {self.said()}"

    def suffer(self, hit: Hit) -> str:
        """Lets it happen, and says what came of it. Raises when it is not what has to come."""
        assert self.process is not None
        family = descendants(self.process.pid)
        began = time.monotonic()
        hit.do(self)
        if not hit.ends:
            self.await_progress()
            return f"goes on after {time.monotonic() - began:.1f} s"
        wait_for(self.is_dead, _STOP_SECONDS + _MORE, f"{hit.name}: the job did not end: {self.said()}")
        seconds = time.monotonic() - began
        status = self.process.returncode
        assert status in hit.ends, f"{hit.name}: status {status}: {self.said()}"
        wait_for(lambda: not alive(family), 20, f"{hit.name}: processes were left: {alive(family)}")
        assert "Traceback" not in self.said(), f"{hit.name}: {self.said()}"
        return f"status {status} after {seconds:.1f} s"

    def calm(self) -> None:
        self._over.set()
        self._sender.join(60)


def _main(job: Storm) -> set[int]:
    assert job.process is not None
    return {job.process.pid}


def _jvm(job: Storm) -> set[int]:
    [main] = _main(job)
    found = jvm_of(main)
    return {found} if found is not None else set()


def _worker(job: Storm) -> set[int]:
    [main] = _main(job)
    found = workers_of(main)
    return {random.choice(found)} if found else set()


def _tree(job: Storm) -> set[int]:
    [main] = _main(job)
    return {main, *descendants(main)}


def _signal(who: Callable[[Storm], set[int]], *numbers: signal.Signals, pause: float = 0.0) -> Callable[[Storm], None]:
    def do(job: Storm) -> None:
        pids = who(job)
        for place, number in enumerate(numbers):
            if place:
                time.sleep(pause)
            send(pids, number)

    return do


def _group(*numbers: signal.Signals, pause: float = 0.0) -> Callable[[Storm], None]:
    def do(job: Storm) -> None:
        for place, number in enumerate(numbers):
            if place:
                time.sleep(pause)
            if not job.is_dead():
                job.signal(number)

    return do


def _frozen_jvm_told_to_end(job: Storm) -> None:
    send(_jvm(job), signal.SIGSTOP)
    send(_main(job), signal.SIGTERM)


KILL, TERM, INT, HUP, STOP, CONT = (
    signal.SIGKILL,
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGSTOP,
    signal.SIGCONT,
)
_STOPPED, _DEAD = frozenset({0}), frozenset({1})
_TORN = frozenset({0, 130})

STOPS = (
    Hit("TERM to main", _signal(_main, TERM), _STOPPED, repeats=False, early=True),
    Hit("INT to main", _signal(_main, INT), _STOPPED, repeats=False, early=True),
    Hit("HUP to main", _signal(_main, HUP), _STOPPED, repeats=False, early=True),
    Hit("TERM to the group", _group(TERM), _STOPPED, repeats=False, early=True),
    Hit("INT to the group", _group(INT), _STOPPED, repeats=False, early=True),
    Hit("TERM to every process", _signal(_tree, TERM), _STOPPED, repeats=False),
    Hit("STOP and CONT of main", _signal(_main, STOP, CONT, pause=2), repeats=False),
    Hit("STOP and CONT of the JVM", _signal(_jvm, STOP, CONT, pause=2), repeats=False),
    Hit("STOP and CONT of the group", _group(STOP, CONT, pause=2), repeats=False),
    Hit("STOP and CONT of a worker", _signal(_worker, STOP, CONT, pause=2), repeats=False),
)
DEATHS = (
    Hit("kill of main", _signal(_main, KILL), frozenset({-9}), early=True),
    Hit("kill of the group", _group(KILL), frozenset({-9}), early=True),
    Hit("kill of every process", _signal(_tree, KILL), frozenset({-9})),
    Hit("kill of the JVM", _signal(_jvm, KILL), _DEAD),
    Hit("kill of a worker", _signal(_worker, KILL)),
    Hit("TERM twice to main", _signal(_main, TERM, TERM, pause=0.3), _TORN, early=True),
    Hit("INT twice to the group", _group(INT, INT, pause=0.3), _TORN, early=True),
    Hit("TERM to main while the JVM is stopped", _frozen_jvm_told_to_end, _STOPPED),
)


def weather(
    cluster: Mapping[str, str],
    folder: Path,
    topics: tuple[str, str, str],
    hits: list[tuple[Hit, float]],
    *,
    guarantee: str,
    say: Callable[[str], None] = lambda text: None,
) -> list[str]:
    """Lets one hit after the other happen, each so many seconds after rows came out (below zero: after the process began), and
    gives back what is wrong with the output.
    """
    job = Storm(cluster, folder, topics, guarantee)
    try:
        for number, (hit, delay) in enumerate(hits, start=1):
            job.start()
            if delay >= 0:
                job.await_progress()
            time.sleep(abs(delay))
            when = f"{delay:.1f} s after rows" if delay >= 0 else f"{-delay:.1f} s after its start"
            say(f"round {number}: {hit.name}, {when}: {job.suffer(hit)}")
        job.calm()
        mistakes = job.finish()
        if not job.exactly and not any(hit.repeats for hit, _ in hits):
            mistakes += job.repeated()
        say(f"{job.rows:,} rows, {len(hits)} rounds, {job.starts} starts, {len(mistakes)} mistakes")
        return mistakes
    finally:
        job.calm()
        job.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--guarantee", default="exactly-once", choices=("exactly-once", "at-least-once"))
    parser.add_argument("--only", choices=("stops", "deaths"))
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    chance = random.Random(args.seed)
    random.seed(args.seed)
    kinds = {"stops": STOPS, "deaths": DEATHS, None: (*STOPS, *DEATHS)}[args.only]
    hits = []
    for _ in range(args.rounds):
        hit = chance.choice(kinds)
        early = hit.early and chance.random() < 0.3
        hits.append((hit, -chance.uniform(0.5, 5.0) if early else chance.uniform(0.0, 2.0)))
    with start_broker(heap="1g") as broker, tempfile.TemporaryDirectory() as folder:
        cluster = {"bootstrap.servers": broker.bootstrap}
        topics = ("source", "copies", "counts")
        for topic in topics:
            create_topic(cluster, topic, partitions=PARTITIONS)
        mistakes = weather(
            cluster,
            Path(folder),
            topics,
            hits,
            guarantee=args.guarantee,
            say=lambda text: print(text, flush=True),
        )
    for name, times in sorted(Counter(hit.name for hit, _ in hits).items()):
        print(f"  {times:>4} x {name}", flush=True)
    for text in mistakes[:20]:
        print(f"  {text}", flush=True)
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
