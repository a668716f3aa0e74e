"""What a script may SET for Spark, and what only the operator may (finding d11)."""

from __future__ import annotations

import pytest

import firesteel
from firesteel.errors import Source
from firesteel.options.spark_setting import NUMBER, ROWS, refuse_setting
from firesteel.plan.analyze import analyze

CODE = (
    "spark.jars",
    "spark.jars.packages",
    "spark.plugins",
    "spark.driver.extraJavaOptions",
    "spark.driver.defaultJavaOptions",
    "spark.executor.extraJavaOptions",
    "spark.driver.extraClassPath",
    "spark.driver.extraLibraryPath",
    "spark.extraListeners",
    "spark.serializer",
    "spark.python.daemon.module",
    "spark.pyspark.python",
    "spark.pyspark.driver.python",
    "spark.sql.extensions",
    "spark.sql.catalog.c",
    "spark.sql.queryExecutionListeners",
    "spark.sql.warehouse.dir",
    "spark.sql.execution.pyspark.python",
    "spark.submit.pyFiles",
    "spark.files",
    "spark.archives",
    "spark.master",
    "spark.submit.deployMode",
    "spark.local.dir",
    "spark.eventLog.dir",
    "spark.ui.enabled",
    "spark.driver.host",
    "spark.driver.bindAddress",
    "spark.authenticate",
    "spark.authenticate.secret",
    "spark.hadoop.fs.defaultFS",
    "spark.hadoop.fs.s3a.secret.key",
    "spark.executorEnv.LD_PRELOAD",
    "spark.python.unix.domain.socket.dir",
    "spark.redaction.regex",
    "spark.security.credentials.hive.enabled",
)
CLASSES = (
    "spark.sql.streaming.checkpointFileManagerClass",
    "spark.sql.streaming.stateStore.providerClass",
    "spark.sql.streaming.streamingQueryListeners",
    "spark.io.compression.codec",
    "spark.python.worker.module",
    "spark.shuffle.io.plugin.class",
    "spark.memory.fraction",
)


@pytest.mark.parametrize("key", CODE)
def test_findings_d11_only_the_operator_sets_what_is_code(key: str) -> None:
    script = f"SET '{key}' = 'true';"
    (problem,) = firesteel.check(script + "\n")
    assert problem.is_error and problem.message.startswith(f"'{key}' is not for a script to set")
    assert problem.hint is not None and f"--set {key}=" in problem.hint and problem.span is not None
    assert not [one for one in firesteel.check(";\n", settings={key: "true"}) if one.is_error]


@pytest.mark.parametrize("key", CLASSES)
def test_findings_d11_no_class_behind_a_name_that_may_be_set(key: str) -> None:
    for text in ("org.example.Evil", "/tmp/evil.jar", "-agentpath:/tmp/evil.so", "lz4 x", "1; rm", "4g\n-Xlog"):
        assert refuse_setting(key, text) is not None


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("spark.sql.shuffle.partitions", "8"),
        ("spark.driver.memory", "4g"),
        ("spark.executor.memory", "4096 MB"),
        ("spark.sql.streaming.stateStore.rocksdb.blockCacheSizeMB", "64"),
        ("spark.sql.streaming.pollingDelay", "50ms"),
        ("spark.sql.adaptive.enabled", "FALSE"),
        ("spark.sql.autoBroadcastJoinThreshold", "-1"),
        ("spark.memory.fraction", "0.7"),
        ("spark.io.compression.codec", "zstd"),
        ("spark.sql.session.timeZone", "Asia/Shanghai"),
        ("spark.speculation", "true"),
        ("parallelism.default", "org.example"),
    ],
)
def test_what_tunes_spark_may_be_set(key: str, text: str) -> None:
    assert refuse_setting(key, text) is None


def test_a_script_does_not_take_back_what_the_operator_has_set() -> None:
    script = "RESET;\nRESET 'spark.authenticate';\nRESET 'spark.driver.memory';\n"
    given = {"spark.authenticate": "true", "spark.driver.memory": "4g", "pipeline.name": "x"}
    assert analyze(Source("job.sql", script), given).catalog.settings == {"spark.authenticate": "true"}


def test_nothing_that_loads_code_is_free() -> None:
    """Every row takes numbers or one of a few words."""
    for name, value in ROWS:
        assert name.startswith("spark.")
        assert value is NUMBER or not value.allows("org.example.Evil")
