"""Reads `SET 'key' = 'value'` of a script: a typed value, and what is wrong with it. `spark.*` goes to Spark (`spark_setting.py`).

>>> resolve_setting("table.exec.state.ttl", "1 h", None, None)
(datetime.timedelta(seconds=3600), ())
"""

from __future__ import annotations

from typing import Any

from firesteel.errors import Problem, Severity, Span
from firesteel.options.option import Option
from firesteel.options.secret import MASKED, is_secret_key
from firesteel.options.setting import DEFAULT_ZONE, LOCAL_TIME_ZONE, ROWS, STATE_BACKEND_TYPE, RuntimeMode, setting
from firesteel.options.spelling import nearest

#: Settings that change a job in Flink and do not change it here: how the name begins, the values that ask for nothing, and the
#: warning for all other values.
_WITHOUT_EFFECT: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "restart-strategy",
        ("none", "off", "disable", "disabled"),
        "has no effect yet: a job that fails ends.",
        "Let a service manager start it again; it goes on where it stopped.",
    ),
    (
        "execution.checkpointing.externalized-checkpoint-retention",
        ("retain_on_cancellation",),
        "has no effect here: state is always kept.",
        "Remove the folder of a job that is not to go on, or start it with --fresh.",
    ),
    (
        "execution.checkpointing.cleanup-mode",
        (),
        "has no effect here: state is always kept.",
        "Remove the folder of a job that is not to go on, or start it with --fresh.",
    ),
    (
        "state.checkpoints.num-retained",
        (),
        "has no effect here: how many batches can be gone back to is Spark's 'spark.sql.streaming.minBatchesToRetain'.",
        "Remove it.",
    ),
    (
        "execution.savepoint.",
        (),
        "has no effect here: the job goes on from its own state folder.",
        "Name that folder with 'execution.checkpointing.dir'.",
    ),
    (
        "execution.state-recovery.",
        (),
        "has no effect here: the job goes on from its own state folder.",
        "Name that folder with 'execution.checkpointing.dir'.",
    ),
)

#: Settings of Confluent that are refused: they set where every table starts and ends, or that the job is not to run.
_REFUSED: tuple[tuple[str, str], ...] = (
    ("sql.tables.scan.", "Write the option in the WITH clause of each table, without 'sql.tables.'."),
    ("sql.dry-run", "Run 'firesteel check', which starts nothing."),
)
#: Settings of Flink's own processes, by how their names begin. They are accepted without a warning.
_FLINK_PROCESSES = (
    "sql-client.",
    "taskmanager.",
    "jobmanager.",
    "restart-strategy",
    "yarn.",
    "kubernetes.",
    "rest.",
    "high-availability",
    "metrics.",
    "akka.",
    "pekko.",
    "heartbeat.",
    "web.",
    "env.",
    "execution.target",
    "execution.attached",
    "execution.checkpointing.",
    "execution.buffer-timeout",
    "state.backend.rocksdb.",
    "state.backend.incremental",
    "state.savepoints.",
    "state.checkpoints.",
    "pipeline.",
    "table.optimizer.",
    "table.exec.resource.",
    "table.display.",
    "table.dynamic-table-options.",
    "table.generated-code.",
)


def resolve_setting(
    key: str, text: str, key_span: Span | None, value_span: Span | None
) -> tuple[object, tuple[Problem, ...]]:
    """Parses a setting's value. Returns the text of one that Firesteel does not know, and the problems found."""
    row = setting(key)
    if row is not None:
        return _resolve_known(row, key, text, value_span)
    for beginning, hint in _REFUSED:
        if key.startswith(beginning) and text.lower() != "false":
            return text, (Problem(f"'{key}' is not supported yet.", key_span, hint),)
    for beginning, harmless, sentence, hint in _WITHOUT_EFFECT:
        if key.startswith(beginning):
            silent = text.lower() in harmless
            return text, () if silent else (Problem(f"'{key}' {sentence}", key_span, hint, Severity.WARNING),)
    known = [row.key for row in ROWS]
    if key.startswith("spark.") or (key.startswith(_FLINK_PROCESSES) and nearest(key, known, 0.93) is None):
        return text, ()
    close = nearest(key, known)
    hint = f"Write '{close}'." if close else "'firesteel options settings' lists what has one."
    problem = Problem(f"'{key}' is a setting without effect here.", key_span, hint, Severity.WARNING)
    return text, (problem,)


def _resolve_known(
    row: Option[Any], key: str, text: str, value_span: Span | None
) -> tuple[object, tuple[Problem, ...]]:
    """Parses the value of a setting that has a row."""
    try:
        value = row.kind.parse(text)
    except ValueError as expected:
        shown = MASKED if is_secret_key(key) else text[:60]
        return None, (Problem(f"'{key}' is '{shown}', but {expected}.", value_span),)
    if row is STATE_BACKEND_TYPE and text.lower() not in STATE_BACKEND_TYPE.kind.texts:  # type: ignore[attr-defined]
        return value, (
            Problem(
                f"'{key}' is '{text[:120]}', for which '{value.value}' is taken here.",
                value_span,
                f"Write '{value.value}'.",
                Severity.WARNING,
            ),
        )
    if row is LOCAL_TIME_ZONE and text == DEFAULT_ZONE:
        return value, (
            Problem(
                f"'{key}' is 'default', which is the machine's own zone in Flink and UTC here.",
                value_span,
                "Name the zone, such as 'UTC' or 'Asia/Shanghai'.",
                Severity.WARNING,
            ),
        )
    if value is RuntimeMode.BATCH:
        return value, (
            Problem(
                f"'{key}' is '{text}', and Firesteel runs streams.",
                value_span,
                "Remove it; 'scan.bounded.mode' on the sources makes a job that ends by itself.",
            ),
        )
    return value, ()
