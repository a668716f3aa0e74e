"""Changelogs by chance through queries by chance: what the sinks hold in the end is what DuckDB finds in the end.

The records come in small batches, and the job stops and goes on in between. `ORACLE_ROUNDS` and `ORACLE_SEED` make it
longer (`make soak`) and repeat it. With `ORACLE_KILLS` each job loses a process of the state engine.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.oracle.query import QUESTIONS, Question
from tests.oracle.topic import changes, upserted
from tests.oracle.world import World
from tests.script import BOUNDED, EARLIEST, UPSERT, create_table

import firesteel
from firesteel.spark.fault import VARIABLE

ROUNDS = int(os.environ.get("ORACLE_ROUNDS", "1"))
SEED = int(os.environ.get("ORACLE_SEED", "0")) or random.SystemRandom().randrange(10**6)
QUESTIONS_PER_ROUND = int(os.environ.get("ORACLE_QUESTIONS", "8"))
#: Questions by their names, with commas; empty for all.
ONLY = os.environ.get("ORACLE_ONLY", "")
#: Whether a task of the state engine loses its process in each job, at a moment chosen by chance.
KILLS = bool(os.environ.get("ORACLE_KILLS"))
#: Each query starts a Python process for each of its tables.
_TOGETHER = 3

_CHANGES = "'format' = 'debezium-json'"
_TABLES = {
    "orders": ("id INT, k STRING, v INT, d DECIMAL(10, 2), c INT", f"{EARLIEST}, {_CHANGES}"),
    "people": ("id INT, g STRING, x INT, PRIMARY KEY (id) NOT ENFORCED", UPSERT),
    "events": ("id INT, k STRING, v INT, c INT", EARLIEST),
}


def _script(cluster: dict[str, str], topics: dict[str, str], questions: list[Question]) -> str:
    parts = ["SET 'parallelism.default' = '2';"]
    for name, (columns, options) in _TABLES.items():
        small = "'scan.max-rows-per-batch' = '9'"
        parts.append(create_table(cluster, name, columns, topics[name], options, BOUNDED, small))
    inserts = []
    for question in questions:
        columns = ", ".join(question.columns)
        if question.key:
            columns += f", PRIMARY KEY ({', '.join(question.key)}) NOT ENFORCED"
        options = UPSERT if question.key else _CHANGES
        parts.append(create_table(cluster, question.name, columns, topics[question.name], options, _once(question)))
        inserts.append(f"INSERT INTO {question.name} {question.flink};")
    return "\n".join([*parts, "EXECUTE STATEMENT SET BEGIN", *inserts, "END;"])


def _once(question: Question) -> str:
    """A changelog whose writer is killed is only right if it is written exactly once."""
    if question.key or not KILLS:
        return ""
    return f"'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = '{question.name}'"


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_the_sinks_hold_what_duckdb_finds(
    seed: int,
    cluster: dict[str, str],
    spark: SparkSession,
    make_topic: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    print(f"ORACLE_SEED={seed}")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "fault"))
    faults = random.Random(seed)
    chance = random.Random(seed)
    world = World(chance)
    asked = [make for make in QUESTIONS if not ONLY or make.__name__ in ONLY.split(",")]
    questions = [make(chance) for make in chance.sample(asked, min(QUESTIONS_PER_ROUND, len(asked)))]
    topics = {name: make_topic() for name in (*_TABLES, *(question.name for question in questions))}
    scripts = []
    for number in range(0, len(questions), _TOGETHER):
        script = tmp_path / f"job{number}.sql"
        some = questions[number : number + _TOGETHER]
        script.write_text(_script(cluster, topics, some), encoding="utf-8")
        scripts.append(script)
    producer = Producer({**cluster, "linger.ms": 0})
    for stage in range(2):
        for _ in range(30 if stage == 0 else 18):
            topic, key, value = world.step()
            producer.produce(topics[topic], value, key)
        assert producer.flush(30) == 0
        for number, script in enumerate(scripts):
            if KILLS:
                moment = faults.choice(("s1", "s2", "s3", "s4"))
                (tmp_path / "fault").write_text(f"{moment} * kill {stage}{number}")
            firesteel.run(script, spark=spark)
        wrong = {
            question.name: difference
            for question in questions
            if (difference := _difference(cluster, topics[question.name], question, world))
        }
        assert not wrong, f"seed {seed}, stage {stage}: {wrong}"


def _difference(cluster: dict[str, str], topic: str, question: Question, world: World) -> dict[str, Any]:
    found = _upserted(cluster, topic) if question.key else _netted(cluster, topic)
    expected = Counter(tuple(map(_plain, row)) for row in world.answer(question.duckdb))
    if found == expected:
        return {}
    return {"sql": question.flink, "missing": dict(expected - found), "too much": dict(found - expected)}


def _upserted(cluster: dict[str, str], topic: str) -> Counter[tuple[Any, ...]]:
    return Counter(map(_row, upserted(cluster, topic)))


def _netted(cluster: dict[str, str], topic: str) -> Counter[tuple[Any, ...]]:
    bag: Counter[tuple[Any, ...]] = Counter()
    for change in changes(cluster, topic):
        if change["before"] is not None:
            bag[_row(change["before"])] -= 1
        if change["after"] is not None:
            bag[_row(change["after"])] += 1
    assert all(count >= 0 for count in bag.values()), bag
    return +bag


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(map(_plain, row.values()))


def _plain(value: Any) -> Any:
    return value.normalize() + 0 if isinstance(value, Decimal) else value
