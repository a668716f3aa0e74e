from __future__ import annotations

import pickle
import re

from firesteel.catalog.catalog import Catalog, declare, resolve_table
from firesteel.catalog.changelog import sink_changelog, source_changelog
from firesteel.catalog.connector import place_names
from firesteel.catalog.table import Computed, Metadata, Table
from firesteel.changelog.kind import ALL, INSERT_ONLY, UPSERT, render_changelog
from firesteel.connectors.kafka import options as kafka
from firesteel.connectors.kafka.partitioner import Fixed
from firesteel.connectors.kafka.start import AtTimestamp, Earliest, GroupOffsets, Latest, Reset, bound, start_position
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.errors import Problem, Source, Span
from firesteel.formats.avro_confluent.options import SUBJECT
from firesteel.formats.csv import options as csv
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.options import legacy
from firesteel.options.legacy import UpdateMode
from firesteel.sql.script import parse_script
from firesteel.sql.statement import CreateTable, Name, OptionEntry, Text
from firesteel.types import BigInt, Field, Int

KAFKA = "'connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092'"
UPSERT_KAFKA = KAFKA.replace("'kafka'", "'upsert-kafka'") + ", 'key.format' = 'json', 'value.format' = 'json'"
DLI = (
    "'connector.type' = 'kafka', 'connector.topic' = 'orders', "
    "'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'json'"
)


def run(script: str, **environment: str) -> tuple[Catalog, list[Problem]]:
    parsed, found = parse_script(Source("job.sql", script))
    catalog, problems = Catalog(), list(found)
    for statement in parsed.statements:
        catalog, more = declare(statement, catalog, environment)
        problems += more
    return catalog, problems


def table(columns: str, options: str, **environment: str) -> Table:
    catalog, problems = run(f"CREATE TABLE t ({columns}) WITH ({options});", **environment)
    assert not problems
    return catalog.tables["t"]


def name(text: str) -> Name:
    return Name(text, Span(0, len(text)))


def test_the_key_has_its_order_and_loses_its_prefix() -> None:
    options = (
        f"{KAFKA}, 'key.format' = 'json', 'key.fields' = 'k_b;k_a', 'key.fields-prefix' = 'k_', "
        "'value.format' = 'csv', 'value.csv.field-delimiter' = ';', 'value.fields-include' = 'EXCEPT_KEY'"
    )
    t = table("k_a INT, v BIGINT, k_b INT, o BIGINT METADATA FROM 'offset' VIRTUAL, c AS v + 1", options)
    assert t.key_format is not None
    assert t.key_format.columns == ("k_b", "k_a")
    assert t.key_format.fields == (Field("b", Int()), Field("a", Int()))
    assert t.value_format.columns == ("v",) and t.value_format.fields == (Field("v", BigInt()),)
    assert t.value_format.options.get(csv.FIELD_DELIMITER) == ";"
    assert isinstance(t.column("o"), Metadata) and isinstance(t.column("c"), Computed)


def test_the_key_columns_are_taken_out_of_the_value() -> None:
    """Number 70 of the facts taken from Flink's own tests."""
    options = f"{KAFKA}, 'key.format' = 'json', 'key.fields' = 'address; name', 'value.format' = 'json', "
    t = table("id INT, name STRING, age INT, address STRING", options + "'value.fields-include' = 'EXCEPT_KEY'")
    assert t.key_format is not None
    assert t.key_format.columns == ("address", "name")
    assert t.value_format.columns == ("id", "age")


def test_the_subject_is_made_of_the_topic() -> None:
    upsert = UPSERT_KAFKA.replace("'json'", "'avro-confluent'")
    urls = "'key.avro-confluent.url' = 'http://r', 'value.avro-confluent.url' = 'http://r'"
    t = table("id INT, v INT, PRIMARY KEY (id) NOT ENFORCED", f"{upsert}, {urls}")
    assert t.key_format is not None
    assert t.key_format.options.get(SUBJECT) == f"{place_names(t)[0]}-key"
    assert t.value_format.options.get(SUBJECT) == f"{place_names(t)[0]}-value"
    t = table(
        "id INT",
        f"{KAFKA}, 'format' = 'avro-confluent', 'avro-confluent.url' = 'http://r', 'avro-confluent.subject' = 's'",
    )
    assert t.value_format.options.get(SUBJECT) == "s"


def test_the_primary_key_is_the_upsert_key_and_not_null() -> None:
    t = table("v BIGINT, b INT, a INT, PRIMARY KEY (a, b) NOT ENFORCED", UPSERT_KAFKA)
    assert t.key_format is not None
    assert t.key_format.columns == ("a", "b") and not t.key_format.fields[0].type.nullable
    assert t.value_format.columns == ("v", "b", "a")
    assert t.physical[0].type.nullable and not t.physical[1].type.nullable
    assert render_changelog(source_changelog(t)) == "[UA,D]" and sink_changelog(t) == UPSERT
    assert start_position(t.connector, t.options) == Earliest()


def test_the_reference_job_runs_with_a_warning() -> None:
    t = table(
        "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP, user_region STRING, "
        "WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND",
        f"{KAFKA}, 'format' = 'json'",
    )
    [warning] = t.problems_as_source
    assert not warning.is_error and "starts from the earliest offset" in warning.message
    assert t.problems_as_sink == ()
    assert t.watermark is not None and t.watermark.column == "viewtime"
    assert start_position(t.connector, t.options) == GroupOffsets(None, Reset.UNSET)
    assert source_changelog(t) == INSERT_ONLY == sink_changelog(t)


def test_start_and_end_of_reading_come_from_the_modes() -> None:
    t = table(
        "id INT",
        f"{KAFKA}, 'format' = 'json', 'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '7', "
        "'scan.bounded.mode' = 'latest-offset'",
    )
    assert start_position(t.connector, t.options) == AtTimestamp(7) and bound(t.options) == Latest()


def test_names_of_dli_become_the_options_of_today() -> None:
    t = table(
        "id INT",
        DLI.replace("'json'", "'csv'")
        + ", 'connector.version' = '0.11', 'format.field-delimiter' = '|', 'update-mode' = 'append', "
        "'connector.startup-mode' = 'earliest-offset', 'connector.sink-partitioner' = 'fixed', "
        "'connector.properties.0.key' = 'group.id', 'connector.properties.0.value' = 'g', "
        "'connector.properties.1.key' = 'sasl.password', 'connector.properties.1.value' = 'canary'",
    )
    assert (t.connector, t.value_format.name, t.options.get(kafka.TOPIC)) == ("kafka", "csv", ("orders",))
    assert t.value_format.options.get(csv.FIELD_DELIMITER) == "|"
    assert t.options.get(kafka.SINK_PARTITIONER) == Fixed()
    assert t.options.get(kafka.GROUP_ID) == "g" == t.options.properties["group.id"]
    assert start_position(t.connector, t.options) == Earliest()
    assert "canary" not in repr(t)
    assert sink_changelog(t) == INSERT_ONLY


def test_an_update_mode_of_dli_decides_the_connector_and_its_changes() -> None:
    key = "id INT, PRIMARY KEY (id) NOT ENFORCED"
    upsert = table(key, f"{DLI}, 'update-mode' = 'upsert', 'connector.sink.ignore-retraction' = 'true'")
    assert (upsert.connector, upsert.update_mode) == ("upsert-kafka", UpdateMode.UPSERT)
    assert sink_changelog(upsert) == UPSERT and upsert.key_format is not None
    assert upsert.options.get(legacy.SINK_IGNORE_RETRACTION) is True
    retract = table(key, f"{DLI}, 'update-mode' = 'retract'")
    assert retract.connector == "upsert-kafka" and sink_changelog(retract) == ALL
    append = table(key, f"{DLI}, 'update-mode' = 'append'".replace("= 'kafka'", "= 'upsert-kafka'"))
    assert sink_changelog(append) == INSERT_ONLY


def test_dli_can_use_what_only_flink_has() -> None:
    t = table("id INT", f"{DLI}, 'scan.bounded.mode' = 'latest-offset', 'json.ignore-parse-errors' = 'true'")
    assert bound(t.options) == Latest() and t.value_format.options.get(IGNORE_PARSE_ERRORS) is True


def test_semantic_is_the_older_name_and_wins() -> None:
    catalog, problems = run(
        f"CREATE TABLE t (id INT) WITH ({KAFKA}, 'format' = 'json', 'sink.delivery-guarantee' = 'none', "
        "'sink.semantic' = 'EXACTLY_ONCE');"
    )
    assert [problem.is_error for problem in problems] == [False]
    guarantee = catalog.tables["t"].options.get(kafka.SINK_DELIVERY_GUARANTEE)
    assert guarantee is DeliveryGuarantee.EXACTLY_ONCE


def test_all_mistakes_come_at_once_and_the_table_is_still_there() -> None:
    catalog, problems = run(
        "CREATE TABLE t (id INT, id INT, PRIMARY KEY (x) NOT ENFORCED, WATERMARK FOR y AS y) WITH ("
        "'connector' = 'kafka', 'topic' = 'a', 'topic-pattern' = '(', 'format' = 'jsonn', 'colour' = 'blue', "
        "'scan.startup.mode' = 'now', 'value.fields-include' = 'SOME', 'topic' = 'b');"
    )
    assert len(problems) >= 10
    assert catalog.tables["t"].column("id") is not None


def test_like_takes_over_and_overwrites() -> None:
    base = f"CREATE TABLE b (id INT, c AS id + 1) WITH ({KAFKA}, 'format' = 'json');"
    catalog, problems = run(f"{base} CREATE TABLE t (x BIGINT) WITH ('topic' = 'other') LIKE b;")
    assert not problems
    t = catalog.tables["t"]
    assert [column.name for column in t.columns] == ["id", "c", "x"]
    assert t.options.get(kafka.TOPIC) == ("other",)
    catalog, problems = run(
        f"{base} CREATE TABLE t (x BIGINT) WITH ({KAFKA}, 'format' = 'csv') LIKE b (EXCLUDING ALL);"
    )
    assert not problems
    assert [column.name for column in catalog.tables["t"].columns] == ["id", "x"]


def test_hints_take_the_place_of_options() -> None:
    catalog, _ = run(f"CREATE TABLE t (id INT) WITH ({KAFKA}, 'format' = 'json', 'properties.group.id' = 'g');")
    place = Span(0, 1)

    def hint(key: str, value: str) -> tuple[OptionEntry, ...]:
        return (OptionEntry(Text(key, place), Text(value, place)),)

    hinted, problems = catalog.hinted(name("t"), hint("scan.startup.mode", "earliest-offset"))
    assert not problems and hinted is not None
    assert start_position(hinted.connector, hinted.options) == Earliest()
    _, problems = catalog.hinted(name("t"), hint("scan.startup.mod", "earliest-offset"))
    assert [problem.hint for problem in problems] == ["Write 'scan.startup.mode'."]


def test_names_settings_and_drops() -> None:
    catalog, problems = run(
        "SET 'state.backend' = 'rocksdb'; SET 'spark.sql.shuffle.partitions' = '8'; SET 'sql-client.verbose' = 'true';"
        f"CREATE TABLE t (id INT) WITH ({KAFKA}, 'format' = 'json');"
        "CREATE TABLE IF NOT EXISTS t (x INT) WITH ('connector' = 'kafka');"
        "DROP TABLE IF EXISTS nothing; CREATE TEMPORARY VIEW v AS SELECT id FROM t;"
        "CREATE FUNCTION F AS 'shop.f' LANGUAGE PYTHON;"
    )
    assert not problems
    assert catalog.settings["spark.sql.shuffle.partitions"] == "8"
    assert str(catalog.settings["state.backend.type"]) == "StateBackend.ROCKSDB"
    path = Name("t", Span(0, 1), ("default_catalog", "default_database", "t"))
    assert catalog.table(path) is catalog.table(name("t")) is not None
    assert catalog.view(name("v")) is not None and catalog.function("f") is not None
    assert catalog.suggest(name("tt")) == "The tables are t, v."


def test_a_table_travels_and_hides_its_secrets() -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="canary-1";'
    script = (
        f"CREATE TABLE t (id INT, c AS id + 1) WITH ({KAFKA}, 'topic' = 'x', 'format' = 'avro-confluent', "
        "'avro-confluent.url' = 'https://u:canary-2@r', 'avro-confluent.basic-auth.user-info' = 'u:canary-3', "
        "'properties.ssl.key.password' = '${env:KAFKA_PW}', 'properties.sasl.mechanism' = 'PLAIN', "
        f"'properties.security.protocol' = 'SASL_SSL', 'properties.sasl.jaas.config' = '{jaas}');"
    )
    catalog, problems = run(script, FIRESTEEL_ALLOWED_ENV="KAFKA_*", KAFKA_PW="canary-4")
    assert [problem.message for problem in problems] == ["'topic' is set twice; the last one counts."]
    t = catalog.tables["t"]
    assert pickle.loads(pickle.dumps(t)) == t
    assert {"canary-1", "canary-2", "canary-4", "u:canary-3"} <= catalog.secrets
    assert not re.search("canary-[134]", repr(t))


def test_a_table_like_one_that_is_missing_is_refused() -> None:
    parsed, _ = parse_script(Source("job.sql", f"CREATE TABLE t (id INT) WITH ({KAFKA}, 'format' = 'json') LIKE x;"))
    statement = parsed.statements[0]
    assert isinstance(statement, CreateTable)
    resolved, problems = resolve_table(statement, Catalog(), {})
    assert resolved is None and "'x' after LIKE is not a table." in problems[0].message
