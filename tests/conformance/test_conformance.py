"""Every recorded case: what Flink refuses is refused by `check`, what Flink writes is written, byte for byte.

`not_yet.txt` lists the cases that need something that is not supported yet. Such a script has to be refused by `check`
with a position; once it is not refused any more, its line has to go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import Producer
from pyspark.sql import SparkSession
from tests.conformance.corpus import Case, compare, load_cases, prepare

import firesteel
from firesteel.errors import FiresteelError, Source
from firesteel.plan.analyze import analyze

CASES = [case for case in load_cases() if not case.differs]
NOT_YET = set((Path(__file__).parent / "not_yet.txt").read_text().split())
REFUSED = [case for case in CASES if case.error_phase in ("ddl", "plan")]
RUN = [case for case in CASES if case.error_phase in (None, "run")]

#: The longest a bounded job of a few records may take, on a machine that does other things too.
_PATIENCE = 180
#: A job of a few records mostly waits: for Python to start, for Spark's next look. Several can wait at once.
_AT_ONCE = 8


def _named(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", REFUSED, ids=_named)
def test_what_flink_refuses_is_refused(case: Case) -> None:
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors
    if case.name not in NOT_YET:
        assert not [problem for problem in analysis.errors if "not supported yet" in problem.message]


@pytest.mark.parametrize("case", [case for case in RUN if case.name in NOT_YET], ids=_named)
def test_what_is_not_supported_yet_is_refused(case: Case) -> None:
    analysis = analyze(Source("case.sql", case.script("b:9092", "run")))
    assert analysis.errors, f"{case.name} is supported now: take it out of not_yet.txt"
    assert all(problem.span is not None for problem in analysis.errors)


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest,
    cluster: dict[str, str],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, Future[list[str]]]]:
    """What differs, by case. All cases that this run of pytest has chosen start here, a few at a time."""
    producer = Producer({**cluster, "linger.ms": 0, "acks": "all", "log_level": 0})
    chosen = {item.name.removeprefix("test_case[").removesuffix("]") for item in request.session.items}

    def run(case: Case) -> list[str]:
        return _differences(case, cluster, producer, spark, tmp_path_factory.mktemp(case.name))

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield {case.name: pool.submit(run, case) for case in RUN if case.name in chosen and case.name not in NOT_YET}
    producer.flush(5)


def _differences(
    case: Case, cluster: dict[str, str], producer: Producer, spark: SparkSession, folder: Path
) -> list[str]:
    run = prepare(case, cluster, producer)
    script = folder / "case.sql"
    script.write_text(case.script(cluster["bootstrap.servers"], run), encoding="utf-8")
    job = firesteel.start(script, spark=spark)
    try:
        ended = job.wait(_PATIENCE)
    except FiresteelError as error:
        return [] if case.error_phase == "run" else [f"it failed: {error}"]
    finally:
        job.stop()
    if not ended:
        return [f"it did not end within {_PATIENCE} s"]
    return ["it did not fail"] if case.error_phase == "run" else compare(case, cluster, run)


@pytest.mark.spark
@pytest.mark.parametrize("case", [case for case in RUN if case.name not in NOT_YET], ids=_named)
def test_case(case: Case, outcomes: Mapping[str, Future[list[str]]]) -> None:
    assert outcomes[case.name].result() == []
