from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.cli.main import main

REFERENCE = """\
CREATE TABLE pageviews (user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING)
  WITH ('connector' = 'kafka', 'topic' = 'pageviews', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
CREATE TABLE pageviews_per_region (user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka', 'topic' = 'per_region', 'properties.bootstrap.servers' = 'b:9092',
        'key.format' = 'avro', 'value.format' = 'avro');
INSERT INTO pageviews_per_region
SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM pageviews GROUP BY user_region;
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "job.sql"
    path.write_text(REFERENCE, encoding="utf-8")
    return path


def test_explain_tells_plan_key_state_and_columns(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(script)]) == 0
    shown = capsys.readouterr()
    plan, _, sections = shown.out.partition("\n\n")
    assert all(line.endswith(("changelog=[I]", "changelog=[I,UA]")) for line in plan.splitlines())
    assert sections == (
        "Unique key\n"
        "  user_region\n"
        "\n"
        "State\n"
        "  Aggregate keeps, for each user_region:\n"
        "    the number of rows\n"
        "    every distinct user_id\n"
        "  kept for ever, on the state engine\n"
        "\n"
        "Columns read\n"
        "  pageviews: user_id, user_region (2 of 4)\n"
        "\n"
        "Delivery\n"
        "  at-least-once: all tasks write; a batch that runs again writes its rows again\n"
        "\n"
        "Lineage\n"
        "  user_region  <-  pageviews.user_region\n"
        "  pv           <-  the rows themselves  (aggregate: COUNT(*))\n"
        "  uv           <-  pageviews.user_id  (aggregate: COUNT(DISTINCT user_id))\n"
        "  rows chosen and grouped by pageviews.user_region\n"
    )
    # The reference script gets these two pieces of advice, and no more.
    assert shown.err.count("warning: ") == 2
    assert "State grows with each new user_region and each distinct user_id" in shown.err


def test_a_plan_tells_how_long_state_is_kept(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--set", "table.exec.state.ttl=36 h", str(script)]) == 0
    shown = capsys.readouterr()
    assert "  kept for 36 hours after its last change, on the state engine\n" in shown.out
    assert "State grows" not in shown.err


def test_json_tells_plan_state_and_lineage(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format", "json", str(script)]) == 0
    (insert,) = json.loads(capsys.readouterr().out)["inserts"]
    assert insert["sink"] == "pageviews_per_region" and insert["unique_key"] == ["user_region"]
    assert insert["plan"]["node"] == "Sink" and insert["plan"]["changelog"] == ["I", "UA"]
    assert insert["state"][0]["distinct"] == ["user_id"] and insert["state"][0]["grows"] is True
    assert insert["sources"] == [{"table": "pageviews", "columns_read": ["user_id", "user_region"], "columns": 4}]
    assert insert["lineage"][2] == {
        "column": "uv",
        "derivation": "aggregate",
        "expression": "COUNT(DISTINCT user_id)",
        "from": [{"table": "pageviews", "column": "user_id"}],
    }
    assert insert["conditions"] == [{"table": "pageviews", "column": "user_region"}]


def test_a_script_without_insert_has_no_plan(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(REFERENCE.partition("INSERT")[0])
    assert main(["explain", str(script)]) == 0
    assert capsys.readouterr().out == "The script has no INSERT, so there is no plan.\n"


def test_a_mistake_is_told_and_no_plan_is_shown(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text(REFERENCE.replace("COUNT(*)", "COUT(*)"))
    assert main(["explain", str(script)]) == 2
    shown = capsys.readouterr()
    assert "COUT" in shown.err and shown.out == ""
