"""The Nexmark queries in examples/nexmark with Firesteel and with Flink on the same events, and whether they say the same:

    python -m bench.nexmark [--events 200000] [--queries q0,q5] [--engines firesteel,flink] [--batches 5]

One broker, one topic with one partition. Sinks that append are compared as multisets of values, upsert sinks by the last value
of each key, both byte by byte. Exits with 1 when something differs. What Firesteel refuses is said and not run.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import firesteel
from bench.auction_house import AuctionHouse
from bench.engine import ENGINES, Engine, install
from bench.runner import running_job, why, write_order
from firesteel.connectors.kafka.admin import create_topic
from firesteel.dev.broker.broker import start_broker
from firesteel.dev.record import read_records, write_records

_SCRIPTS = Path(__file__).parents[1] / "examples" / "nexmark"
_SOURCE = "nexmark"
_BOOTSTRAP = "127.0.0.1:9092"
_MAX_SECONDS = 900
_TITLES = {engine.name: engine.title.partition(",")[0] for engine in ENGINES}

#: What a sink says in the end, each with how often: values, or keys with their last values.
Answer = Mapping[tuple[bytes | None, bytes | None], int]


@dataclass(frozen=True)
class Query:
    name: str
    script: str

    @property
    def is_upsert(self) -> bool:
        return "'upsert-kafka'" in self.script

    def bind(self, bootstrap: str, sink: str, batch: int | None = None) -> str:
        """The script with its broker and its sink's topic; `batch` makes Firesteel take that many events at a time."""
        text = self.script.replace(_BOOTSTRAP, bootstrap).replace("'topic' = 'answer'", f"'topic' = '{sink}'")
        limit = "" if batch is None else f"'scan.max-rows-per-batch' = '{batch}',\n  "
        return text.replace("'scan.startup.mode'", f"{limit}'scan.startup.mode'")


@dataclass(frozen=True)
class Outcome:
    """What an engine made of a query; `problem` says why there is no answer."""

    answer: Answer = field(default_factory=dict)
    seconds: float = 0.0
    problem: str | None = None

    @property
    def rows(self) -> int:
        return sum(self.answer.values())


def find_queries(names: Sequence[str]) -> list[Query]:
    paths = sorted(_SCRIPTS.glob("q*.sql"), key=lambda path: int(path.stem[1:]))
    known = {path.stem: path for path in paths}
    for name in names:
        if name not in known:
            sys.exit(f"'{name}' is no query. There are {', '.join(known)}.")
    return [Query(name, path.read_text()) for name, path in known.items() if not names or name in names]


def find_engines(names: Sequence[str]) -> list[Engine]:
    known = {engine.name: engine for engine in ENGINES if engine.job in ("firesteel", "flink")}
    for name in names:
        if name not in known:
            sys.exit(f"'{name}' is no engine that runs these scripts. There are {', '.join(known)}.")
    return [known[name] for name in names]


#: Queries whose answers cannot be compared, and why.
_NOT_COMPARED = {"q12": "Its windows depend on the clock."}


def refusal(query: Query) -> str | None:
    """Why Firesteel does not run it, or nothing is compared."""
    if query.name in _NOT_COMPARED:
        return _NOT_COMPARED[query.name]
    return next((problem.message for problem in firesteel.check(query.script) if problem.is_error), None)


def read_answer(cluster: Mapping[str, str], topic: str, is_upsert: bool) -> Answer:
    records = read_records(cluster, topic)
    if not is_upsert:
        return Counter((None, record.value) for record in records)
    last = {record.key: record.value for record in records}
    return {(key, value): 1 for key, value in last.items() if value is not None}


def differences(expected: Answer, found: Answer) -> str:
    """What is in one answer and not in the other, with an example; nothing when they are the same."""
    missing = {row: count - found.get(row, 0) for row, count in expected.items() if count > found.get(row, 0)}
    extra = {row: count - expected.get(row, 0) for row, count in found.items() if count > expected.get(row, 0)}
    told = []
    for rows, what in ((missing, "missing"), (extra, "extra")):
        if rows:
            key, value = min(rows, key=lambda row: (row[0] or b"", row[1] or b""))
            example = " ".join(part.decode(errors="replace") for part in (key, value) if part is not None)
            told.append(f"{sum(rows.values()):,} {what}, such as {example}")
    return "; ".join(told)


def run_queries(
    engine: Engine, queries: Sequence[Query], bootstrap: str, batch: int | None, stamp: str
) -> dict[str, Outcome]:
    """Every query in one process; after one that fails, the rest in another process."""
    cluster = {"bootstrap.servers": bootstrap}
    outcomes: dict[str, Outcome] = {}
    waiting = list(queries)
    sinks = {query.name: f"{query.name}-{engine.name}-{stamp}" for query in queries}
    for sink in sinks.values():
        create_topic(cluster, sink)
    while waiting:
        with tempfile.TemporaryDirectory(prefix="firesteel-nexmark-") as name:
            folder = Path(name)
            scripts = [folder / f"{query.name}.sql" for query in waiting]
            for query, script in zip(waiting, scripts, strict=True):
                script.write_text(
                    query.bind(bootstrap, sinks[query.name], batch if engine.job == "firesteel" else None)
                )
            order = write_order(engine, scripts, folder)
            times, problem = _run(engine, order, folder / "job.log")
        for query, seconds in zip(waiting, times, strict=False):
            outcomes[query.name] = Outcome(read_answer(cluster, sinks[query.name], query.is_upsert), seconds)
            print(
                f"{query.name:5}{engine.title:24}{outcomes[query.name].rows:>10,} rows in {seconds:.1f} s", flush=True
            )
        waiting = waiting[len(times) :]
        if waiting:
            failed = waiting.pop(0)
            outcomes[failed.name] = Outcome(problem=problem)
            print(f"{failed.name:5}{engine.title:24}{problem}", flush=True)
    return outcomes


def _run(engine: Engine, order: Path, log: Path) -> tuple[list[float], str]:
    """The seconds of each script that ended, and what the process said in the end."""
    times: list[float] = []
    began = time.monotonic()
    with running_job(engine, order, log, _MAX_SECONDS) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("begin") and times:
                began = time.monotonic()
            elif line.startswith("end"):
                times.append(time.monotonic() - began)
        status = process.wait()
    return times, why(log.read_text(errors="replace"), status)


def render_table(
    queries: Sequence[Query],
    refused: Mapping[str, str],
    engines: Sequence[str],
    outcomes: Mapping[str, Mapping[str, Outcome]],
) -> tuple[str, bool]:
    """A row for each query, and whether all answers are those of the last engine."""
    *others, reference = engines
    titles = [_TITLES[name] for name in engines]
    lines = [f"| query | {' | '.join(f'rows {title}' for title in titles)} | equal | what differs |"]
    lines.append(f"|---|{'--:|' * len(engines)}---|---|")
    all_equal = True
    for query in queries:
        if query.name in refused:
            lines.append(f"| {query.name} |{' |' * len(engines)} refused | {_cell(refused[query.name])} |")
            continue
        found = {name: outcomes[name][query.name] for name in engines}
        told = [f"{_TITLES[name]}: {one.problem}" for name, one in found.items() if one.problem]
        if not told:
            wrong = {name: differences(found[reference].answer, found[name].answer) for name in others}
            told = [f"{_TITLES[name]}: {what}" for name, what in wrong.items() if what]
        all_equal = all_equal and not told
        rows = " | ".join("" if one.problem else f"{one.rows:,}" for one in found.values())
        lines.append(f"| {query.name} | {rows} | {'no' if told else 'yes'} | {_cell('; '.join(told))} |")
    return "\n".join(lines) + "\n", all_equal


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("|", "/"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--queries", default="", help="q0,q5 …; all when left out")
    parser.add_argument("--engines", default="firesteel,flink", help="all are compared with the last one")
    parser.add_argument("--batches", type=int, default=5, help="how many Firesteel makes of the events")
    args = parser.parse_args()
    queries = find_queries([name for name in args.queries.split(",") if name])
    engines = find_engines(args.engines.split(","))
    refused = {query.name: told for query in queries if (told := refusal(query)) is not None}
    install(engines)
    started = time.monotonic()
    with start_broker(heap="1g", settings={"log.retention.ms": "-1"}) as broker:
        cluster = {"bootstrap.servers": broker.bootstrap}
        # The order in which events come has to be the same for everyone: it decides between equal ranks.
        create_topic(cluster, _SOURCE, partitions=1)
        write_records(cluster, _SOURCE, ((None, event) for event in AuctionHouse(args.events).messages()))
        print(f"{args.events:,} events in {time.monotonic() - started:.0f} s", flush=True)
        run = [query for query in queries if query.name not in refused]
        batch = max(1, -(-args.events // args.batches))
        stamp = f"{int(time.time() * 1000):x}"
        outcomes = {engine.name: run_queries(engine, run, broker.bootstrap, batch, stamp) for engine in engines}
    table, all_equal = render_table(queries, refused, [engine.name for engine in engines], outcomes)
    print(f"\n{args.events:,} events, {time.monotonic() - started:.0f} s\n\n{table}")
    sys.exit(0 if all_equal else 1)


if __name__ == "__main__":
    main()
