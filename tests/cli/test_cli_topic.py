from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import fastavro
import pytest

from firesteel.cli.main import main
from firesteel.cli.topic import parse_lines
from firesteel.cli.topic_record import View, avro_decoder, decode_json, decode_raw, render_json, render_record
from firesteel.dev.broker.broker import Broker
from firesteel.dev.broker.port import free_port
from firesteel.dev.record import Record, write_records
from firesteel.errors import UsageError

Run = Callable[..., str]

RAW = View(decode_raw, decode_raw)


@pytest.fixture
def run(broker: Broker, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `firesteel topic …` on the shared broker and returns what it prints."""
    monkeypatch.setenv("FIRESTEEL_BOOTSTRAP", broker.bootstrap)

    def call(*words: str, status: int = 0) -> str:
        assert main(["topic", *words]) == status
        shown = capsys.readouterr()
        return shown.err if status else shown.out

    return call


@pytest.mark.kafka
def test_a_topic_is_created_listed_and_deleted(run: Run) -> None:
    assert run("create", "cli-made", "--partitions", "3") == "Topic 'cli-made' is created.\n"
    assert "exists already" in run("create", "cli-made", status=2)
    assert run("create", "cli-made", "--if-missing") == "Topic 'cli-made' exists already.\n"
    rows = [line.split() for line in run("list").splitlines()]
    assert rows[0] == ["topic", "partitions", "records"] and ["cli-made", "3", "0"] in rows
    assert run("list", "cli-made").splitlines()[1].split() == ["cli-made", "0", "0", "0"]
    assert "__" not in run("list")
    assert run("delete", "cli-made") == "Topic 'cli-made' is deleted.\n"
    assert "does not exist" in run("delete", "cli-made", status=3)


@pytest.mark.kafka
def test_what_is_written_is_read(run: Run, make_topic: Callable[..., str], tmp_path: Path) -> None:
    topic, lines = make_topic(), tmp_path / "lines"
    lines.write_text('eu|{"pv": 1}\nasia|\neu|NULL\nNULL|7\n')
    run("write", topic, str(lines), "--key-separator", "|", "--null-marker", "NULL")
    shown = [line.split("  ", 2) for line in run("read", topic).splitlines()]
    assert [(where, content) for where, _, content in shown] == [
        ("0/0", 'eu → {"pv": 1}'),
        ("0/1", "asia → "),
        ("0/2", "eu → ∅ tombstone"),
        ("0/3", "∅ → 7"),
    ]
    records = [json.loads(line) for line in run("read", topic, "--json", "--format", "json").splitlines()]
    assert [(r["key"], r["value"]) for r in records] == [("eu", {"pv": 1}), ("asia", ""), ("eu", None), (None, 7)]
    assert "value_error" in records[1]
    assert len(run("read", topic, "--max", "2").splitlines()) == 2
    assert run("read", topic, "--from", "earliest", "--partition", "0", "--max", "1").startswith("0/0")
    assert "has no partition 5" in run("read", topic, "--partition", "5", status=3)


@pytest.mark.kafka
def test_standard_input_is_written(run: Run, make_topic: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    topic = make_topic()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"one\r\ntwo")))
    run("write", topic)
    assert [line.split("→ ")[1] for line in run("read", topic).splitlines()] == ["one", "two"]


@pytest.mark.kafka
def test_avro_is_read_with_a_schema(
    run: Run, make_topic: Callable[..., str], cluster: dict[str, str], tmp_path: Path
) -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "pv", "type": ["null", "long"]}]}
    (tmp_path / "r.avsc").write_text(json.dumps(schema))
    encoded = io.BytesIO()
    fastavro.schemaless_writer(encoded, fastavro.parse_schema(schema), {"pv": 5})
    topic = make_topic()
    write_records(cluster, topic, [(b"k", encoded.getvalue()), (b"k", b"\xff")])
    shown = run("read", topic, "--schema", str(tmp_path / "r.avsc")).splitlines()
    assert shown[0].endswith('k → {"pv": 5}')
    assert "0xff ‹not decoded:" in shown[1]


_JOB = """
CREATE TABLE counts (region STRING, pv BIGINT, PRIMARY KEY (region) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:1',
  'key.format' = 'avro', 'value.format' = 'avro');
"""


@pytest.mark.kafka
def test_a_table_of_a_script_says_how_to_read(
    run: Run, make_topic: Callable[..., str], cluster: dict[str, str], tmp_path: Path
) -> None:
    job = tmp_path / "job.sql"
    job.write_text(_JOB)
    topic = make_topic()
    # Avro: a string is its length and its bytes; a nullable long is the branch and the number.
    write_records(cluster, topic, [(b"\x04eu", b"\x04eu\x02\x0a"), (b"\x04eu", None), (b"\x04eu", b"\xff")])
    shown = run("read", topic, "--sql", str(job), "--table", "counts").splitlines()
    assert shown[0].endswith('{"region": "eu"} → {"region": "eu", "pv": 5}')
    assert shown[1].endswith('{"region": "eu"} → ∅ tombstone')
    assert "0xff ‹not decoded:" in shown[2]
    missing = run("read", topic, "--sql", str(job), "--table", "count", status=2)
    assert missing == f"'{job}' creates no table 'count'. Its tables: 'counts'.\n"
    assert "need each other" in run("read", topic, "--table", "counts", status=2)
    assert "no meaning" in run("read", topic, "--sql", str(job), "--table", "counts", "--format", "json", status=2)
    assert "There is no file" in run("read", topic, "--sql", "nowhere.sql", "--table", "counts", status=2)


@pytest.mark.kafka
def test_a_missing_topic_is_told(run: Run) -> None:
    told = run("read", "cli-nowhere", status=3)
    assert told == "Topic 'cli-nowhere' does not exist. Create it with 'firesteel topic create cli-nowhere'.\n"
    assert "does not exist" in run("write", "cli-nowhere", status=3)


@pytest.mark.kafka
def test_a_missing_file_is_told(run: Run, make_topic: Callable[..., str]) -> None:
    assert "'nowhere.txt' cannot be read: No such file" in run("write", make_topic(), "nowhere.txt", status=2)


@pytest.mark.kafka
def test_a_record_that_is_too_large_is_told(run: Run, make_topic: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"small\n" + b"x" * 2_000_000)
    topic = make_topic()
    told = run("write", topic, str(tmp_path / "large"), status=3)
    assert told.startswith(f"Record 2 cannot be written to '{topic}'") and "too large" in told


def test_an_unreachable_broker_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    address = f"127.0.0.1:{free_port()}"
    assert main(["topic", "list", "--bootstrap", address]) == 3
    shown = capfd.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1
    assert f"No Kafka broker answers at '{address}'" in shown.err


def test_a_line_without_its_separator_is_told() -> None:
    lines = parse_lines(io.BytesIO(b"a=1\nb\n"), b"=")
    assert next(lines) == (b"a", b"1")
    with pytest.raises(UsageError, match="Line 2 has no '='"):
        next(lines)


def test_a_record_cannot_move_the_cursor() -> None:
    line = render_record(Record(0, 1, None, None, b"a\n\x1b[2J"), RAW)
    assert line == "0/1  -  ∅ → a\\n\\x1b[2J"


def test_headers_are_shown_on_request() -> None:
    record = Record(2, 3, 1_700_000_000_123, b"k", None, (("why", b"bad"), ("none", None)))
    view = View(decode_raw, decode_raw, headers=True)
    assert render_record(record, view) == "2/3  2023-11-14 22:13:20.123  k → ∅ tombstone  [why=bad, none=∅]"
    assert json.loads(render_json(record, view))["headers"] == [["why", "bad"], ["none", None]]
    assert "why" not in render_record(record, RAW)


def test_bytes_that_are_not_json_are_shown_with_the_reason() -> None:
    record = Record(0, 0, None, None, b"{")
    assert "{ ‹not decoded: " in render_record(record, View(decode_raw, decode_json))


def test_a_schema_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.avsc").write_text('{"type": "nonsense"}')
    with pytest.raises(UsageError, match="is not an Avro schema"):
        avro_decoder(tmp_path / "x.avsc")
