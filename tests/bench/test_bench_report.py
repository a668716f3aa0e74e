"""The parts of the harness that need no engine: what is measured of a process, and how results are shown."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from bench.engine import ENGINES
from bench.measure import Measured
from bench.process import CpuMeter, memory_of
from bench.report import Ratio, ratio, render_table, write_report
from bench.runner import Run
from bench.workload import WORKLOADS, ChangedViews, LateViews
from tests.deadline import wait_for

from firesteel.errors import Source
from firesteel.plan.analyze import analyze

RESULTS = (
    Measured("pass", "firesteel", 1000, (Run(0.75, 0.002), Run(2.0, 0.00075), Run(1.25, 0.00125)), 3.5, 2**30),
    Measured("pass", "flink", 1000, (Run(3.0, 0.004),), 5.0, 2**31),
    Measured("pass", "spark", 1000, problem="exit 1: | no"),
)


def test_the_better_half_of_the_runs_counts() -> None:
    first, second, third = RESULTS
    assert (first.rows_per_second, round(first.cpu_micros, 6)) == (1000.0, 1.0)
    assert ratio(second, RESULTS) == Ratio(speed=3.0, cpu=4.0)
    assert ratio(third, RESULTS) is None


def test_state_in_rocksdb_is_compared_with_state_in_rocksdb() -> None:
    found = [
        Measured("reference", engine, 1000, (Run(seconds, 0.001),))
        for engine, seconds in (("firesteel", 1.0), ("firesteel-rocksdb", 1.5), ("flink-rocksdb", 6.0))
    ]
    assert [round(one.speed, 6) for one in (ratio(each, found) for each in found) if one] == [1.0, 1.5, 4.0]
    assert ratio(found[2], found[:1]) is None


def test_results_are_written(tmp_path: Path) -> None:
    write_report(RESULTS, tmp_path)
    assert "| pass | Flink 2.3.0, default | 333 | 4.00 | 2,048 MB | 5.0 s | 3.00 × |" in render_table(RESULTS)
    assert json.loads((tmp_path / "results.json").read_text())["results"][2]["problem"] == "exit 1: | no"
    assert ElementTree.parse(tmp_path / "results.svg").getroot().tag.endswith("svg")


def test_a_process_that_ended_is_still_counted() -> None:
    burn = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass\ninput()"
    with subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE, text=True) as process:
        meter = CpuMeter(process.pid)
        # Less than it burns: the kernel tells user and system time in hundredths, and cuts.
        wait_for(lambda: meter.read() >= 0.3)
        found = memory_of(process.pid)
        assert 2**20 < found.unclean < found.total
        process.communicate("\n")
    assert meter.read() >= 0.3


def test_every_script_is_one_that_runs() -> None:
    for workload in WORKLOADS:
        text = workload.render_script("127.0.0.1:9092", "a", "b", batch_rows=7)
        found = analyze(Source("job.sql", text))
        assert not found.errors, (workload.name, found.errors)
    names = {workload.name for workload in WORKLOADS}
    assert all(engine.workloads <= names for engine in ENGINES)


def test_changes_add_up() -> None:
    views = ChangedViews(10)
    messages = [json.loads(message) for block in views.messages() for message in block]
    assert [message["op"] for message in messages] == list("cccccccucc")
    assert messages[7]["before"] == messages[3]["after"]
    live = [message["after"]["page_id"] for number, message in enumerate(messages) if number % 4 != 3]
    assert sorted(views.kept()["page_id"].to_list()) == sorted([*live, messages[7]["after"]["page_id"]])


def test_some_of_the_last_views_come_late() -> None:
    views = LateViews(4_096)
    rows = views.columns()
    timely = views.timely()
    assert rows.head(3_584).equals(timely.head(3_584))
    assert rows.height - timely.height == 32
    assert views.columns(3_584, 4_096).equals(rows.tail(512))
    late = rows.filter(rows["viewtime"] < timely["viewtime"].min())
    assert late.height == 32
