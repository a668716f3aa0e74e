"""The long forms of the tests, one after the other: what `make test` has no time for.

    python -m tests.long [PART…] [--rounds 200] [--write]

Says what each found and how long it took, what was left out and why. `--write` keeps that in bench/measured/reliability and makes
bench/RELIABILITY.md of all that is kept there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "bench" / "RELIABILITY.md"
KEPT = ROOT / "bench" / "measured" / "reliability"

_PYTHON = sys.executable
_PYTEST = (_PYTHON, "-m", "pytest", "-q")

#: So many of the last lines of what a part said stand on the page.
_LAST = 40


@dataclass(frozen=True)
class Part:
    """`why_not` says what is missing here for it; empty where nothing is."""

    name: str
    about: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


@dataclass(frozen=True)
class Result:
    """`said` are the last lines of what the part said, at `commit`."""

    name: str
    status: int
    seconds: float
    said: str
    commit: str


def parts(rounds: int) -> tuple[Part, ...]:
    """`rounds` is the number of the storms', together."""

    def storm(share: int, *words: str) -> tuple[str, ...]:
        return (_PYTHON, "-m", "tests.faults.storm", "--rounds", str(max(1, rounds // share)), *words)

    return (
        Part(
            "moments",
            "a writer or the driver is killed at each step of a batch",
            (*_PYTEST, "tests/faults", "tests/spark/test_spark_fault.py"),
            {"FIRESTEEL_SOAK": "1"},
        ),
        Part("soak", "processes killed at random moments, 1,000,000 rows", (_PYTHON, "-m", "tests.faults.soak")),
        Part(
            "storm", "random signals to all processes of a job, exactly-once: no row is lost or comes twice", storm(2)
        ),
        Part(
            "stops",
            "the same with signals that ask to stop only, at-least-once: no row comes twice",
            storm(4, "--guarantee", "at-least-once", "--only", "stops"),
        ),
        Part(
            "deaths",
            "the same with signals that kill only, at-least-once: no row is lost",
            storm(4, "--guarantee", "at-least-once", "--only", "deaths"),
        ),
        Part(
            "keyed",
            "all processes of a job with a join, an aggregate and a Top-N killed at random moments, exactly-once: its sinks hold what"
            " DuckDB finds",
            (_PYTHON, "-m", "tests.faults.keyed", "--kills", str(max(1, rounds // 10))),
        ),
        Part(
            "growth",
            "30 minutes of updates over 100,000 keys through a join, an aggregate and a Top-N: files level off, and with a time to live they fall",
            (_PYTHON, "-m", "tests.long.growth"),
        ),
        Part(
            "damage",
            "a byte of each kind in each kind of file of the state engine is changed: the job says so, or is right",
            (_PYTHON, "-m", "tests.faults.flip"),
        ),
        Part(
            "brokers",
            "three brokers restarted in turn, three times; one away for five minutes",
            (_PYTHON, "-m", "tests.faults.rolling"),
        ),
        Part(
            "oracle",
            "random queries, compared with DuckDB",
            (*_PYTEST, "-s", "tests/oracle"),
            {"ORACLE_ROUNDS": "20", "ORACLE_QUESTIONS": "26"},
        ),
        Part(
            "oracle-kills",
            "the same, and each job loses a process in which the state engine works",
            (*_PYTEST, "-s", "tests/oracle/test_oracle_queries.py"),
            {"ORACLE_ROUNDS": "10", "ORACLE_QUESTIONS": "26", "ORACLE_KILLS": "1"},
        ),
        Part("scripts", "20,000 damaged scripts", (_PYTHON, "-m", "tests.fuzz.scripts", "--rounds", "20000")),
        Part(
            "records",
            "20,000 damaged records of each format",
            (_PYTHON, "-m", "tests.fuzz.records", "--rounds", "20000", "--format", "all"),
        ),
        Part("jobs", "200 damaged records of each format through real jobs", (_PYTHON, "-m", "tests.fuzz.jobs")),
        Part("pyspark", "the tests on the older PySpark", (_PYTHON, "-m", "tests.long.pyspark")),
        Part("databases", "sinks and look-ups in databases", why_not="there are no such connectors yet"),
        Part("stores", "state in object stores", why_not="state is in folders only, so far"),
        Part("browser", "the page in a browser", why_not="there is no page yet"),
    )


def run(part: Part, folder: Path) -> Result:
    log = folder / f"{part.name}.log"
    began = time.monotonic()
    with log.open("w") as out:
        status = subprocess.run(
            part.command, stdout=out, stderr=out, cwd=ROOT, env={**os.environ, **part.environment}, check=False
        ).returncode
    return Result(part.name, status, time.monotonic() - began, _end(log.read_text(errors="replace")), _commit())


def _commit() -> str:
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    return told.stdout.strip()


def keep(result: Result) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{result.name}.json").write_text(json.dumps(asdict(result), indent=1) + "\n")


def kept_results(known: tuple[Part, ...]) -> dict[str, Result]:
    files = {part.name: KEPT / f"{part.name}.json" for part in known}
    return {name: Result(**json.loads(file.read_text())) for name, file in files.items() if file.is_file()}


def render(known: tuple[Part, ...], results: Mapping[str, Result]) -> str:
    lines = [
        "# Reliability tests and their results",
        "",
        f"Made by `python -m tests.long --write` on {os.cpu_count()} cores; `make test-full` repeats them.",
        "",
        "| part | test | result | duration | commit |",
        "|---|---|---|--:|---|",
    ]
    for part in known:
        found = results.get(part.name)
        if part.why_not or found is None:
            why = f"not run: {part.why_not}" if part.why_not else "not run yet"
            lines.append(f"| {part.name} | {part.about} | {why} | | |")
            continue
        verdict = "passed" if found.status == 0 else f"**exit status {found.status}**"
        lines.append(f"| {part.name} | {part.about} | {verdict} | {found.seconds / 60:.1f} min | {found.commit} |")
    for name, found in results.items():
        lines += ["", f"## {name}", "", "```text", found.said, "```"]
    return "\n".join(lines) + "\n"


def _end(said: str) -> str:
    """The last lines, without paths of this machine."""
    kept = [line for line in said.splitlines() if line.strip() and "rdkafka" not in line][-_LAST:]
    return re.sub(r"/(?:tmp|root|work|home)/\S+", "…", "\n".join(line[:200] for line in kept))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="*")
    parser.add_argument("--rounds", type=int, default=200, help="of the storms, together")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    known = parts(args.rounds)
    names = [part.name for part in known]
    for name in args.part:
        if name not in names:
            parser.error(f"'{name}' is no part; there are {', '.join(names)}")
    chosen = [part for part in known if part.name in (args.part or names)]
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="firesteel-long-") as folder:
        for part in chosen:
            if part.why_not:
                print(f"{part.name}: left out: {part.why_not}", flush=True)
                continue
            print(f"{part.name}: {part.about} …", flush=True)
            results.append(run(part, Path(folder)))
            print(f"  exit status {results[-1].status} after {results[-1].seconds:.0f} s", flush=True)
            if results[-1].status:
                print(results[-1].said, flush=True)
            if args.write:
                keep(results[-1])
                PAGE.write_text(render(known, kept_results(known)))
    sys.exit(any(result.status for result in results))


if __name__ == "__main__":
    main()
