"""Cases recorded from real Flink, each a folder: what goes in, the script, and what Flink wrote or refused.

    job.sql                       the script, with ${bootstrap}, ${topic:in} and ${group:g} for the names of a run
    input/<topic>.jsonl or .txt   the messages that are there before (tests/message.py says how they are written)
    expected/<topic>.…            the messages that Flink wrote
    expected/<topic>.value.avsc   the schema that they have in Avro
    recorded.toml                 what it is about, the topics with their partitions, how answers are compared or the error, and what recorded it

Nothing in them is written by hand but the input. `python -m tests.conformance.convert` makes one from a recording.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.message import Message, read_messages

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """`said` is recorded.toml, `schemas` are those of Avro, by topic and then `key` or `value`."""

    name: str
    sql: str
    input: Mapping[str, tuple[Message, ...]]
    expected: Mapping[str, tuple[Message, ...]]
    said: Mapping[str, Any]
    schemas: Mapping[str, Mapping[str, Any]]

    @property
    def area(self) -> str:
        return str(self.said["area"])

    @property
    def error_phase(self) -> str | None:
        """`ddl` and `plan` errors are found by `check`, `run` errors while the job runs; None: it gives an output."""
        return self.said["error"]["phase"] if "error" in self.said else None

    @property
    def error_message(self) -> str | None:
        """What Flink said."""
        return self.said["error"]["message"] if "error" in self.said else None

    @property
    def differs(self) -> str | None:
        """Why Firesteel deliberately does otherwise."""
        return self.said.get("differs")

    @property
    def has_micros(self) -> bool:
        """Fractions of a second are compared to six digits: Spark keeps microseconds, Flink nanoseconds."""
        return bool(self.said.get("micros"))

    @property
    def partitions(self) -> Mapping[str, int]:
        """The number of partitions of each topic."""
        partitions: Mapping[str, int] = self.said["partitions"]
        return partitions

    def script(self, bootstrap: str, run: str) -> str:
        """The script with the names of one run in it."""
        known = {"bootstrap": bootstrap, "uid": run, "prefix": f"cc_{run}_"}

        def one(match: re.Match[str]) -> str:
            key = match.group(1)
            if key.startswith("topic:"):
                return self.topic(key.removeprefix("topic:"), run)
            if key.startswith("group:"):
                return self.group(key.removeprefix("group:"), run)
            return known[key]

        return re.sub(r"\$\{([^}]+)\}", one, self.sql)

    def topic(self, name: str, run: str) -> str:
        return f"cc_{run}_{name}"

    def group(self, name: str, run: str) -> str:
        return f"ccg_{run}_{name}"


def read_case(folder: Path) -> Case:
    schemas: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("expected/*.avsc")):
        topic, side, _ = path.name.rsplit(".", 2)
        schemas.setdefault(topic, {})[side] = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        folder.name,
        (folder / "job.sql").read_bytes().decode().removesuffix("\n"),
        read_topics(folder / "input"),
        read_topics(folder / "expected"),
        tomllib.loads((folder / "recorded.toml").read_text(encoding="utf-8")),
        schemas,
    )


def read_topics(folder: Path) -> dict[str, tuple[Message, ...]]:
    """The messages of each topic that has a file in the folder."""
    return {path.stem: read_messages(path) for path in sorted(folder.glob("*")) if path.suffix != ".avsc"}


@cache
def load_cases() -> tuple[Case, ...]:
    return tuple(read_case(path.parent) for path in sorted(CASES.glob("*/recorded.toml")))
