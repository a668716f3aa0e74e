"""Warnings about what a script asks for and does not get, and what unused tables may say: by the numbers of the findings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from firesteel.catalog.connector import place_names
from firesteel.errors import Problem, Severity, Source
from firesteel.options.setting import STATE_BACKEND_TYPE, StateBackend
from firesteel.plan.analyze import Analysis, analyze
from firesteel.plan.function.python import PythonModules

KAFKA = "'connector' = 'kafka', 'properties.bootstrap.servers' = 'b:9092', 'topic' ="
TABLES = f"""
CREATE TABLE s (id BIGINT, k STRING) WITH ({KAFKA} 's', 'format' = 'json', 'properties.group.id' = 'g');
CREATE TABLE c (id BIGINT, k STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ({KAFKA} 'c', 'format' = 'debezium-json', 'properties.group.id' = 'g');
CREATE TABLE d (id BIGINT, k STRING) WITH ({KAFKA} 'd', 'format' = 'json');
CREATE TABLE changes (id BIGINT, k STRING) WITH ({KAFKA} 'x', 'format' = 'debezium-json');
"""
COPY = "INSERT INTO d SELECT id, k FROM s;"


def look(sql: str, settings: dict[str, str] | None = None, modules: PythonModules | None = None) -> Analysis:
    return analyze(Source("job.sql", TABLES + sql), settings, modules)


def told(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.message for problem in problems]


def warnings(sql: str, settings: dict[str, str] | None = None) -> list[str]:
    analysis = look(sql, settings)
    assert not analysis.errors, analysis.errors
    return told(analysis.warnings)


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("STATE_TTL('s' = '1d')", ["The hint 'STATE_TTL' has no effect: it is for joins and GROUP BY."]),
        ("JOIN_STATE_TTL('s' = '1d')", ["The hint 'JOIN_STATE_TTL' has no effect: this query has no join."]),
        ("BROADCAST(s)", ["The hint 'BROADCAST' has no effect: it chooses among the joins of Flink's batch jobs."]),
        ("NO_SUCH(s)", ["The hint 'NO_SUCH' is no hint that Flink has."]),
        ("OPTIONS('a' = 'b')", ["The hint 'OPTIONS' has no effect behind SELECT."]),
        (
            "STATE_TTL('elsewhere' = '1d')",
            [
                "The hint 'STATE_TTL' has no effect: it is for joins and GROUP BY.",
                "The hint 'STATE_TTL' names 'elsewhere', which is no table of this query.",
            ],
        ),
        (
            "SHUFFLE_HASH(s, elsewhere)",
            [
                "The hint 'SHUFFLE_HASH' has no effect: it chooses among the joins of Flink's batch jobs.",
                "The hint 'SHUFFLE_HASH' names 'elsewhere', which is no table of this query.",
            ],
        ),
    ],
)
def test_findings_a6_hints_are_told(hint: str, expected: list[str]) -> None:
    assert warnings(f"INSERT INTO d SELECT /*+ {hint} */ id, k FROM s;") == expected


@pytest.mark.parametrize("ttl", ["1 h", "0"])
def test_findings_a6_a_state_ttl_has_its_effect_and_gets_no_warning(ttl: str) -> None:
    assert warnings(COPY, {"table.exec.state.ttl": ttl}) == []


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("STATE_TTL('s' = 'soon')", "'soon' is not a length of time."),
        ("STATE_TTL(s)", "The hint 'STATE_TTL' needs the name of a table and a length of time."),
    ],
)
def test_a_hint_without_a_length_of_time_is_a_mistake(hint: str, message: str) -> None:
    analysis = look(f"INSERT INTO c SELECT /*+ {hint} */ id, MAX(k) FROM s GROUP BY id;")
    assert told(analysis.errors) == [message]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("restart-strategy.type", "fixed-delay", "has no effect yet: a job that fails ends."),
        ("restart-strategy.fixed-delay.attempts", "3", "has no effect yet: a job that fails ends."),
        (
            "execution.checkpointing.externalized-checkpoint-retention",
            "DELETE_ON_CANCELLATION",
            "has no effect here: state is always kept.",
        ),
        ("execution.savepoint.path", "/x", "has no effect here: the job goes on from its own state folder."),
    ],
)
def test_findings_a7_settings_that_do_nothing(key: str, value: str, words: str) -> None:
    assert warnings(COPY, {key: value}) == [f"'{key}' {words}"]


def test_findings_a7_what_asks_for_nothing_is_silent() -> None:
    assert warnings(COPY, {"restart-strategy.type": "none"}) == []
    retention = "execution.checkpointing.externalized-checkpoint-retention"
    assert warnings(COPY, {retention: "RETAIN_ON_CANCELLATION"}) == []


def test_findings_a7_a_parallelism_gets_no_warning() -> None:
    settings = {"table.exec.resource.default-parallelism": "3", "parallelism.default": "-1"}
    assert warnings(COPY, settings) == []


def test_findings_a9_changes_without_a_key_scatter() -> None:
    words = (
        "'changes' gets updates or deletes, and its messages have no key: those of one row go to different partitions and"
        " lose their order."
    )
    assert warnings("INSERT INTO changes SELECT id, k FROM c;") == [words]
    keyed = "'key.format' = 'json', 'key.fields' = 'id'"
    assert warnings(f"INSERT INTO changes /*+ OPTIONS({keyed}) */ SELECT id, k FROM c;") == []
    assert warnings("INSERT INTO changes SELECT id, k FROM s;") == []


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("filesystem", StateBackend.HASHMAP),
        ("jobmanager", StateBackend.HASHMAP),
        ("forst", StateBackend.ROCKSDB),
        ("gemini", StateBackend.ROCKSDB),
        (
            "org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackendFactory",
            StateBackend.ROCKSDB,
        ),
        ("org.apache.flink.runtime.state.hashmap.HashMapStateBackendFactory", StateBackend.HASHMAP),
    ],
)
def test_findings_b4_another_state_backend_is_replaced_with_a_warning(text: str, kept: StateBackend) -> None:
    analysis = look(COPY, {"state.backend": text})
    assert told(analysis.problems) == [f"'state.backend' is '{text}', for which '{kept.value}' is taken here."]
    assert analysis.setting(STATE_BACKEND_TYPE) is kept


def test_findings_b4_values_that_flink_takes() -> None:
    assert warnings(COPY, {"execution.checkpointing.interval": "PT1M", "state.backend": "RocksDB"}) == []
    assert warnings(COPY, {"table.exec.sink.type-length-enforcer": "ERROR"}) == []
    assert warnings(COPY, {"table.local-time-zone": "default"}) == [
        "'table.local-time-zone' is 'default', which is the machine's own zone in Flink and UTC here."
    ]
    assert told(look(COPY, {"state.backend": "no-such"}).errors)


def test_findings_b4_an_option_set_twice() -> None:
    twice = f"CREATE TABLE e (id BIGINT) WITH ({KAFKA} 'e', 'format' = 'csv', 'format' = 'json');"
    analysis = look(f"{twice} INSERT INTO e SELECT id FROM s;")
    assert told(analysis.problems) == ["'format' is set twice; the last one counts."]
    assert analysis.sinks[0].table.value_format.name == "json"


def test_findings_b9_unused_tables_only_warn() -> None:
    other = "CREATE TABLE p (a INT) WITH ('connector' = 'no-such'); CREATE VIEW v AS SELECT id FROM s;"
    analysis = look(other + COPY)
    assert not analysis.errors
    assert [problem.severity for problem in analysis.problems] == [Severity.WARNING]
    assert look(f"{other} INSERT INTO p SELECT 1;").errors
    # Without an INSERT nothing says what is needed.
    assert look(other).errors


def test_findings_b9_words_of_a_client() -> None:
    assert warnings(f"CLEAR; {COPY} EXIT;") == []
    assert warnings(f"{COPY} QUIT; {COPY}") == ["'QUIT' ends the script: what stands behind it is not run."]


def test_findings_b10_settings_of_confluent_are_taken_or_refused() -> None:
    assert warnings(COPY, {"sql.local-time-zone": "UTC", "sql.tables.scan.idle-timeout": "1 s"}) == []
    assert told(look(COPY, {"sql.tables.scan.startup.mode": "latest-offset"}).errors) == [
        "'sql.tables.scan.startup.mode' is not supported yet."
    ]


def test_findings_b11_dynamic_kafka_is_kafka() -> None:
    table = (
        "CREATE TABLE e (id BIGINT) WITH ('connector' = 'dynamic-kafka', 'stream-ids' = 'a;b', 'format' = 'json',"
        " 'metadata-service' = 'single-cluster', 'metadata-service.cluster-id' = 'c', 'properties.group.id' = 'g',"
        " 'properties.bootstrap.servers' = 'b:9092', 'stream-metadata-discovery-interval-ms' = '1000');"
    )
    analysis = look(f"{table} INSERT INTO d SELECT id, 'x' FROM e;")
    assert not analysis.problems
    assert (analysis.catalog.tables["e"].connector, place_names(analysis.catalog.tables["e"])) == ("kafka", ("a", "b"))


@pytest.mark.parametrize("name", ["kafka-0.10", "kafka-0.11", "kafka-universal"])
def test_findings_b2_older_names_of_kafka(name: str) -> None:
    table = f"CREATE TABLE e (id BIGINT) WITH ({KAFKA} 'e', 'format' = 'json');".replace("'kafka'", f"'{name}'")
    analysis = look(f"{table} INSERT INTO e SELECT id FROM s;")
    assert not analysis.problems
    assert analysis.catalog.tables["e"].connector == "kafka"


def test_findings_b2_a_primary_key_that_nothing_is_made_of() -> None:
    table = (
        "CREATE TABLE e (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector.type' = 'kafka', 'connector.topic' = 'e',"
        " 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'csv', 'update-mode' = 'append');"
    )
    assert warnings(f"{table} INSERT INTO e SELECT id FROM s;") == [
        "The PRIMARY KEY has no effect: this table takes only inserts, and its messages have no key."
    ]


def test_findings_c7_a_script_of_selects_says_what_run_says() -> None:
    nothing = "This SELECT writes nowhere, and the script has no INSERT INTO: there is nothing to run."
    assert warnings("SELECT id FROM s; SELECT k FROM s;") == [nothing, nothing]
    assert warnings(f"SELECT id FROM s; {COPY}") == ["This SELECT writes nowhere, so it does nothing in a job."]


def test_findings_c8_a_password_that_is_a_name() -> None:
    table = f"CREATE TABLE s (id INT) WITH ({KAFKA} 's', 'format' = 'json', 'properties.ssl.key.password' = 'orders');"
    analysis = look(f"{table.replace('TABLE s', 'TABLE orders')} {table.replace('TABLE s', 'TABLE orders')}")
    assert "There is a table 'orders' already." in told(analysis.problems)
    assert "CREATE TABLE orders" in analysis.source.text
    assert "'properties.ssl.key.password' = '******'" in analysis.source.text


def test_findings_c8_the_zookeeper_address_is_shown() -> None:
    table = (
        "CREATE TABLE e (id INT) WITH ('connector.type' = 'kafka', 'connector.topic' = 'e', 'format.type' = 'json',"
        " 'connector.properties.0.key' = 'zookeeper.connect', 'connector.properties.0.value' = 'zoo:2181',"
        " 'connector.properties.1.key' = 'bootstrap.servers', 'connector.properties.1.value' = 'b:9092',"
        " 'connector.properties.2.key' = 'ssl.key.password', 'connector.properties.2.value' = 'hunter22');"
    )
    shown = look(table).source.text
    assert "zoo:2181" in shown and "hunter22" not in shown


PARTITIONER = """
class Good:
    def partition(self, key, value, topic, partitions):
        return partitions[0]

class Without:
    pass

def function():
    pass
"""


def test_findings_a12_a_partitioner_beside_the_script(tmp_path: Path) -> None:
    name = "partitioner_of_a12"
    (tmp_path / f"{name}.py").write_text(PARTITIONER)

    def errors(member: str, *allowed: str) -> list[str]:
        sql = f"INSERT INTO d /*+ OPTIONS('sink.partitioner' = '{name}.{member}') */ SELECT id, k FROM s;"
        return told(look(sql, modules=PythonModules(frozenset(allowed), tmp_path)).errors)

    assert errors("Good") == [
        f"The partitioner '{name}.Good' is Python of the module '{name}', which is not allowed to run here."
    ]
    assert name not in sys.modules
    try:
        assert errors("Good", name) == []
        for member in ("Without", "function"):
            assert errors(member, name) == [f"The partitioner '{name}.{member}' is no class with a method 'partition'."]
        assert errors("Absent", name) == [f"The module '{name}' has no class 'Absent'."]
    finally:
        sys.modules.pop(name, None)


def test_findings_c7_what_looks_like_a_placeholder_and_is_meant() -> None:
    table = (
        "CREATE TABLE e (id BIGINT) WITH ('connector' = 'kafka', 'topic-pattern' = '(?P<name>x)', 'format' = 'csv',"
        " 'properties.bootstrap.servers' = 'b:9092', 'csv.null-literal' = '<null>', 'properties.group.id' = 'g');"
    )
    assert warnings(f"{table} INSERT INTO d SELECT id, 'x' FROM e;") == []


def test_findings_b9_names_mean_what_they_mean_where_they_stand() -> None:
    broken = "CREATE TABLE p (id BIGINT, k STRING) WITH ('connector' = 'no-such');"
    copy = "INSERT INTO default_catalog.default_database.d SELECT id, k FROM p;"
    assert look(f"USE one; {broken} {copy} USE two;").errors
    assert not look(
        f"USE one; {broken} USE two; {broken.replace('no-such', 'none')} USE default_database; {COPY}"
    ).errors
    # A table that was dropped and made again is the same name.
    assert look(f"{broken} {copy} DROP TABLE p;").errors
