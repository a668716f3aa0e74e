"""Decides which of Spark's settings a script may SET: numbers that tune it. The others are for the operator, since many
of them can load code.

>>> refuse_setting("spark.sql.shuffle.partitions", "8") is None
True
>>> refuse_setting("spark.plugins", "org.example.Plugin").message
"'spark.plugins' is not for a script to set: what Spark loads, runs, opens and sends is up to whoever runs the job."
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesteel.errors import Problem, Span

PREFIX = "spark."


@dataclass(frozen=True)
class Value:
    """The form that such a setting's value must have, so that Spark cannot load, run or open it."""

    pattern: re.Pattern[str]
    expected: str

    def allows(self, text: str) -> bool:
        return self.pattern.fullmatch(text.strip()) is not None


NUMBER = Value(
    re.compile(r"-?\d+(\.\d+)?\s*[a-z]{0,12}|true|false", re.IGNORECASE),
    "expects a number, a size such as '4g', a duration such as '30s', 'true' or 'false'",
)
CODEC = Value(
    re.compile(r"lz4|lzf|snappy|zstd|none", re.IGNORECASE), "expects one of 'lz4', 'lzf', 'snappy', 'zstd', 'none'"
)
POLICY = Value(re.compile(r"min|max", re.IGNORECASE), "expects 'min' or 'max'")
MODE = Value(re.compile(r"FIFO|FAIR", re.IGNORECASE), "expects 'FIFO' or 'FAIR'")
ZONE = Value(re.compile(r"[A-Za-z0-9_/+:-]{1,60}"), "expects a time zone such as 'UTC' or 'Asia/Shanghai'")

#: A name, or a prefix of names if it ends with a dot. The first row that matches decides.
ROWS: tuple[tuple[str, Value], ...] = (
    # How many tasks, and how much of a cluster.
    ("spark.sql.shuffle.partitions", NUMBER),
    ("spark.default.parallelism", NUMBER),
    ("spark.cores.max", NUMBER),
    ("spark.task.cpus", NUMBER),
    ("spark.task.maxFailures", NUMBER),
    ("spark.executor.cores", NUMBER),
    ("spark.executor.instances", NUMBER),
    ("spark.executor.heartbeatInterval", NUMBER),
    ("spark.dynamicAllocation.", NUMBER),
    ("spark.scheduler.mode", MODE),
    ("spark.scheduler.minRegisteredResourcesRatio", NUMBER),
    ("spark.scheduler.maxRegisteredResourcesWaitingTime", NUMBER),
    ("spark.locality.wait", NUMBER),
    ("spark.locality.wait.", NUMBER),
    ("spark.speculation", NUMBER),
    ("spark.speculation.", NUMBER),
    # Memory.
    ("spark.driver.cores", NUMBER),
    ("spark.driver.memory", NUMBER),
    ("spark.driver.memoryOverhead", NUMBER),
    ("spark.driver.memoryOverheadFactor", NUMBER),
    ("spark.driver.maxResultSize", NUMBER),
    ("spark.executor.memory", NUMBER),
    ("spark.executor.memoryOverhead", NUMBER),
    ("spark.executor.memoryOverheadFactor", NUMBER),
    ("spark.executor.pyspark.memory", NUMBER),
    ("spark.python.worker.", NUMBER),
    ("spark.memory.", NUMBER),
    ("spark.cleaner.", NUMBER),
    ("spark.kryoserializer.buffer", NUMBER),
    ("spark.kryoserializer.buffer.max", NUMBER),
    # Shuffles and the network.
    ("spark.network.timeout", NUMBER),
    ("spark.rpc.askTimeout", NUMBER),
    ("spark.rpc.lookupTimeout", NUMBER),
    ("spark.rpc.message.maxSize", NUMBER),
    ("spark.reducer.", NUMBER),
    ("spark.shuffle.compress", NUMBER),
    ("spark.shuffle.file.buffer", NUMBER),
    ("spark.shuffle.io.", NUMBER),
    ("spark.shuffle.sort.bypassMergeThreshold", NUMBER),
    ("spark.shuffle.spill.", NUMBER),
    ("spark.broadcast.", NUMBER),
    ("spark.rdd.compress", NUMBER),
    ("spark.io.compression.codec", CODEC),
    ("spark.io.compression.", NUMBER),
    # Queries and their state.
    ("spark.sql.adaptive.", NUMBER),
    ("spark.sql.autoBroadcastJoinThreshold", NUMBER),
    ("spark.sql.broadcastTimeout", NUMBER),
    ("spark.sql.ansi.enabled", NUMBER),
    ("spark.sql.caseSensitive", NUMBER),
    ("spark.sql.cartesianProductExec.", NUMBER),
    ("spark.sql.codegen.", NUMBER),
    ("spark.sql.execution.arrow.", NUMBER),
    ("spark.sql.join.", NUMBER),
    ("spark.sql.objectHashAggregate.", NUMBER),
    ("spark.sql.optimizer.", NUMBER),
    ("spark.sql.session.timeZone", ZONE),
    ("spark.sql.shuffledHashJoinFactor", NUMBER),
    ("spark.sql.sortMergeJoinExec.", NUMBER),
    ("spark.sql.windowExec.", NUMBER),
    ("spark.sql.streaming.multipleWatermarkPolicy", POLICY),
    ("spark.sql.streaming.stateStore.compression.codec", CODEC),
    ("spark.sql.streaming.stateStore.rocksdb.compression", CODEC),
    ("spark.sql.streaming.", NUMBER),
)


def may_script_set(key: str) -> bool:
    return not key.startswith(PREFIX) or _row(key) is not None


def refuse_setting(key: str, text: str, key_span: Span | None = None, value_span: Span | None = None) -> Problem | None:
    """Returns why a script may not SET this; None if it may."""
    if not key.startswith(PREFIX):
        return None
    value = _row(key)
    if value is None:
        return Problem(
            f"'{key}' is not for a script to set: what Spark loads, runs, opens and sends is up to whoever runs the job.",
            key_span,
            f"Whoever runs it gives it on the command line, with --set {key}=…, or in Python with settings={{…}}.",
        )
    if not value.allows(text):
        return Problem(f"'{key}' is '{text[:60]}', but {value.expected}.", value_span)
    return None


def _row(key: str) -> Value | None:
    return next(
        (value for name, value in ROWS if key == name or (name.endswith(".") and key.startswith(name))),
        None,
    )
