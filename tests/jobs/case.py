"""A case is a folder: what goes in, the script, and what comes out. They are written by hand here and recorded in tests/conformance.

job.sql                       the script, with ${bootstrap}, ${topic:in} and ${group:g} for the names of a run
input/<topic>.jsonl …         the messages that are there before (tests/message.py says how they are written)
input-2/<topic>.jsonl …       what comes before the second run of the same script, which goes on where the first ended
expected/<topic>.jsonl …      the messages that are there in the end; an empty file says that there are none
expected/<topic>.value.avsc   the schema that they have in Avro (recorded cases)
case.toml or recorded.toml    what else there is to say, all of it optional but what a recording says:

    compare = "multiset"                  how messages are compared, or a table of it by topic; tests/jobs/topics.py: MODES
    runs = 2                              how often the script runs, where it is more than there are inputs
    pause = 4                             how many seconds lie between two runs at least
    fails = "does not fit"                the last run fails, and these words are in what it says
    [partitions]                          how many each topic has that has more than one
    [groups.<group>.<topic>]              the offsets that the group has committed, by partition
    [settings]                            as if the script SET them
    [snapshot]                            counters of the last run, such as late = 2
    [snapshot.sources.<table>]            and those of a source
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.message import Message, read_messages

Topics = Mapping[str, tuple[Message, ...]]

#: What a case.toml may say.
SAID = {"compare", "runs", "pause", "fails", "partitions", "groups", "settings", "snapshot"}

_TOPIC = re.compile(r"\$\{topic:([^}]+)\}")


@dataclass(frozen=True)
class Case:
    """`inputs` has the messages of each run, `said` is the TOML file, `schemas` has those of Avro by topic and then `key` or `value`."""

    name: str
    sql: str
    inputs: tuple[Topics, ...]
    expected: Topics
    said: Mapping[str, Any]
    schemas: Mapping[str, Mapping[str, Any]]

    @property
    def input(self) -> Topics:
        return self.inputs[0]

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
    def failure(self) -> str | None:
        """Words of the error that the last run ends with; None: it ends well. Flink's own words are not asked for."""
        return "" if self.error_phase == "run" else self.said.get("fails")

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
        said: Mapping[str, int] = self.said.get("partitions", {})
        return {**dict.fromkeys(_TOPIC.findall(self.sql), 1), **said}

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
    said = folder / "case.toml"
    if not said.exists():
        said = folder / "recorded.toml"
    table = tomllib.loads(said.read_text(encoding="utf-8")) if said.exists() else {}
    assert said.name == "recorded.toml" or set(table) <= SAID, f"{said} says {set(table) - SAID}; known are {SAID}"
    inputs = [read_topics(folder / "input")]
    while (more := folder / f"input-{len(inputs) + 1}").exists():
        inputs.append(read_topics(more))
    while len(inputs) < table.get("runs", 1):
        inputs.append({})
    return Case(
        folder.name,
        (folder / "job.sql").read_bytes().decode().removesuffix("\n"),
        tuple(inputs),
        read_topics(folder / "expected"),
        table,
        schemas,
    )


def read_topics(folder: Path) -> dict[str, tuple[Message, ...]]:
    """The messages of each topic that has a file in the folder."""
    return {path.stem: read_messages(path) for path in sorted(folder.glob("*")) if path.suffix != ".avsc"}
