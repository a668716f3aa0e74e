"""Lists options of vendors' Flinks that Firesteel does not have, each with a message of its own.

It is a warning if rows, keys, guarantee and login stay the same without the option; otherwise the table is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firesteel.errors import Problem, Severity
from firesteel.options.entry import Given


@dataclass(frozen=True)
class Foreign:
    """An option. `sentence` follows its name in the message. `harmless` are the values, in lower case, that request nothing."""

    pattern: re.Pattern[str]
    sentence: str
    hint: str
    severity: Severity = Severity.ERROR
    harmless: tuple[str, ...] = ()

    def problem(self, entry: Given) -> Problem:
        if entry.text.lower() in self.harmless:
            message = f"'{entry.written}' has no effect here."
            return Problem(message, entry.key_span, "Remove it.", Severity.WARNING)
        return Problem(f"'{entry.written}' {self.sentence}", entry.key_span, self.hint, self.severity)


_LOGIN = "Write the login itself: 'properties.security.protocol', 'properties.sasl.mechanism' and 'properties.sasl.jaas.config'."
_TOPIC = "describes the topic, which is taken as it is, so it has no effect here."


def _named(*names: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(name) for name in names))


FOREIGN = (
    # Alibaba
    Foreign(
        re.compile(r"(?:(?:key|value)\.)?json\.infer-schema\..*"),
        "is for tables whose columns are inferred, so it has no effect here.",
        "Remove it.",
        Severity.WARNING,
    ),
    # Huawei DLI
    Foreign(
        _named("ssl_auth_name", "krb_auth_name", "pwd_auth_name"),
        "names a login that DLI keeps, which can be used inside DLI only.",
        _LOGIN,
    ),
    Foreign(
        re.compile(r"dew\..*"),
        "names a secret in Huawei's DEW, which is not supported yet.",
        "Write '${env:NAME}' for a variable that the operator allows.",
    ),
    Foreign(
        re.compile(r"properties\.connector\.(?:auth\.open|kerberos\..*)"),
        "is a Kerberos login that DLI makes, which is not supported yet.",
        _LOGIN,
        harmless=("false",),
    ),
    # Confluent
    Foreign(
        re.compile(
            r"kafka\.(?:cleanup-policy|compaction\.time|max-message-size|message-timestamp-type|partitions"
            r"|retention\.size|retention\.time)"
        ),
        _TOPIC,
        "Set it on the topic itself, and remove it here.",
        Severity.WARNING,
    ),
    Foreign(
        _named("kafka.producer.compression.type"),
        "has no effect here.",
        "Write 'properties.compression.type'.",
        Severity.WARNING,
    ),
    Foreign(
        _named("kafka.consumer.isolation-level"),
        "is Confluent's name, and not supported yet.",
        "Write 'properties.isolation.level' = 'read_committed' or 'read_uncommitted'.",
    ),
    Foreign(
        _named("changelog.mode"),
        "is not supported yet.",
        "Write 'connector' = 'upsert-kafka' for upserts, or a format such as 'debezium-json' for changes.",
        harmless=("append",),
    ),
    Foreign(
        _named("late-handling.mode", "late-handling.log.target"),
        "is not supported yet.",
        "Remove it: a row that comes after its window was closed is left out and counted.",
    ),
    Foreign(
        re.compile(r".*\.(?:id-encoding|schema-context)"),
        "is not supported yet.",
        "Remove it where the schema's id stands in the message and no schema context is used.",
    ),
)


def foreign(entry: Given) -> Problem | None:
    return next((row.problem(entry) for row in FOREIGN if row.pattern.fullmatch(entry.key)), None)
