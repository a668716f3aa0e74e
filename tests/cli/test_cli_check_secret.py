"""A canary in every place where a secret can stand: it appears in no output of `check` and `explain`."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.main import main

CANARY = "CANARYzq81"
LOGIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u"'
REGISTRY = "'value.avro-confluent.url'"

LINES = [
    f"'properties.sasl.jaas.config' = '{LOGIN} password=\"{CANARY}\";'",
    f"'properties.sasl.jaas.config' = '{LOGIN} password=\"{CANARY}\"'",
    f"'properties.sasl.jaas.config' = 'com.evil.Module required\n password=\"{CANARY}\";'",
    f"'properties.sasl.jaas.config' '{LOGIN}\n password=\"{CANARY}\";'",
    f"'properties.sasl.jaas.config' = '{LOGIN} password='{CANARY}';'",
    f"'properties.sasl.jaas.config' = '{LOGIN} password=\"{CANARY}",
    f"'properties.ssl.key.password' = '{CANARY}'",
    f"'properties.ssl.key.pasword' = '{CANARY}'",
    f"'properties.ssl.key.password' '{CANARY}'",
    f"'properties.ssl.key.password' == '{CANARY}'",
    f"'properties.ssl.key.password' : '{CANARY}'",
    f"'properties.ssl.key.password' = {CANARY}",
    f"'properties.ssl.key.password' = {CANARY}'",
    f"'properties.ssl.key.password = '{CANARY}'",
    f"properties.ssl.key.password = '{CANARY}'",
    f"`properties.ssl.key.password` = '{CANARY}'",
    f'"properties.ssl.key.password" = "{CANARY}"',
    f"'properties.ssl.key.password' =\n '{CANARY}' 'x'",
    f"'properties.ssl.key.password'\n '{CANARY}'",
    f"'properties.ssl.key.password' = '{CANARY}' '{CANARY}2'",
    f"'properties.ssl.key.password' = '{CANARY}', 'properties.ssl.key.password' = '{CANARY}x'",
    f"'properties.ssl.key.password', '{CANARY}'",
    f"'properties.ssl.key.password' = 'it''s {CANARY}' oops",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'https://me:{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'ftp://me:{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'https://me:p@{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'https://me:p/{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'https:/me:{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} 'https://me:{CANARY}@registry:80'",
    f"'value.format' = 'avro-confluent', {REGISTRY} = 'https://me:{CANARY}@registry:80",
    f"'value.format' = 'avro-confluent', 'value.avro-confluent.basic-auth.user-info' = 'me:{CANARY}'",
    f"'properties.ssl.key.password' = E'{CANARY}'",
    f"'properties.ssl.key.password' = E'{CANARY}\\x41'",
    f"'properties.ssl.key.password' = E'x\\'{CANARY}'",
    f"'properties.ssl.key.password' = E'\\ud800{CANARY}'",
    f'"properties.sasl.jaas.config" = "{LOGIN[:-13]} password=\\"{CANARY}\\";"',
    f'"properties.sasl.jaas.config" = "{LOGIN[:-13]} password=\\"{CANARY}',
    f'"properties.ssl.key.password" = "a\\"{CANARY}"',
    f'"properties.ssl.key.password" = "a""{CANARY}"',
    f"'properties.ssl.key.password' = '<{CANARY}>'",
    f"'properties.ssl.key.password' = '${{{CANARY}}}'",
    f"'topic-pattern' = 'https://me:{CANARY}@registry[('",
    f"'connector.properties.0.key' = 'ssl.key.password', 'connector.properties.0.value' = '{CANARY}'",
]
COMMANDS = [
    ["check"],
    ["check", "--format", "json"],
    ["check", "--format", "sarif"],
    ["explain"],
    ["explain", "--format", "json"],
]
QUERIES = ["user_id, region", "nope, region", "user_id"]


@pytest.mark.parametrize("line", LINES)
def test_no_command_shows_a_secret(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.sql"
    for query in QUERIES:
        for also in ("'format' = 'json'", "'format' = 'jsn'"):
            path.write_text(
                "CREATE TABLE t (user_id BIGINT, region STRING) WITH ('connector' = 'kafka', 'topic' = 't',\n"
                f"  'properties.bootstrap.servers' = 'b:9092', {also},\n  {line}\n);\n"
                "CREATE TABLE d (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 'd', 'format' = 'json',\n"
                f"  'properties.bootstrap.servers' = 'b:9092');\nINSERT INTO d SELECT {query} FROM t;\n"
            )
            for words in COMMANDS:
                main([*words, str(path)])
                shown = capsys.readouterr()
                assert CANARY not in shown.out + shown.err, words


def test_a_secret_in_a_query_is_hidden_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.sql"
    path.write_text(
        "CREATE TABLE t (a BIGINT, b STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',\n"
        f"  'properties.bootstrap.servers' = 'b:9092', 'properties.ssl.key.password' = '{CANARY}');\n"
        f"INSERT INTO t SELECT a, '{CANARY}' FROM t; -- {CANARY}\nINSERT INTO t SELECT '{CANARY}' FROM t;\n"
    )
    for words in COMMANDS:
        main([*words, str(path)])
        shown = capsys.readouterr()
        assert CANARY not in shown.out + shown.err, words
    path.write_text(path.read_text().rpartition("INSERT")[0])
    assert main(["explain", str(path)]) == 0
    shown = capsys.readouterr()
    assert CANARY not in shown.out + shown.err and "'***'" in shown.out
