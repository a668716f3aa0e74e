"""Legal and dangerous: what a Kafka table says that its author may not want. Warnings, each with its reason."""

from __future__ import annotations

from datetime import timedelta

from firesteel.connectors.kafka import options as kafka
from firesteel.connectors.kafka import options_upsert as upsert_kafka
from firesteel.connectors.kafka.options import StartupMode
from firesteel.connectors.kafka.partitioner import Default, RoundRobin
from firesteel.connectors.kafka.start import GroupOffsets, Reset, start_position
from firesteel.connectors.spec import DeliveryGuarantee
from firesteel.errors import Problem, Severity, Span
from firesteel.options import message, table
from firesteel.options.rule import Scope
from firesteel.options.secret import reveal

#: The broker's own default of transaction.max.timeout.ms.
_BROKER_LIMIT = timedelta(minutes=15)


def advise_source(scope: Scope) -> list[Problem]:
    start = start_position("kafka", scope.values)
    wrong_mode = scope.written(kafka.SCAN_STARTUP_MODE) and not scope.values.given(kafka.SCAN_STARTUP_MODE)
    if not isinstance(start, GroupOffsets) or wrong_mode or scope.written(kafka.GROUP_ID):
        return []
    first = "latest" if start.reset is Reset.LATEST else "earliest"
    return [
        _warning(
            f"{scope.name(kafka.SCAN_STARTUP_MODE)} is 'group-offsets' and there is no "
            f"{scope.name(kafka.GROUP_ID)}, so reading starts from the {first} offset.",
            scope.where(kafka.SCAN_STARTUP_MODE),
            f"Add {scope.name(kafka.GROUP_ID)}, or write {scope.name(kafka.SCAN_STARTUP_MODE)} = "
            f"'{first}-offset' to say that this is meant.",
        )
    ]


def advise_upsert_source(scope: Scope) -> list[Problem]:
    if not scope.values.given(upsert_kafka.SCAN_STARTUP_MODE):
        return []
    if scope.values.get(upsert_kafka.SCAN_STARTUP_MODE) is StartupMode.EARLIEST:
        risk, hint = "", "Remove it to keep the script running on Flink: this is where such a topic starts anyway."
    else:
        risk = " Keys whose last change is older are not seen."
        hint = "Remove it to read the topic from its beginning, unless that is meant."
    return [
        _warning(
            f"{scope.name(upsert_kafka.SCAN_STARTUP_MODE)} is set on an 'upsert-kafka' table, which Flink refuses.{risk}",
            scope.where(upsert_kafka.SCAN_STARTUP_MODE),
            hint,
        )
    ]


def advise_upsert_sink(scope: Scope) -> list[Problem]:
    partitioner = scope.values.get(kafka.SINK_PARTITIONER)
    if partitioner is None or partitioner == Default():
        return _advise_writer(scope)
    return [
        _warning(
            f"{scope.name(kafka.SINK_PARTITIONER)} is set on an 'upsert-kafka' table, so changes of one key may "
            "go to different partitions and be read in another order.",
            scope.where(kafka.SINK_PARTITIONER),
            "Flink always partitions such a topic by its key. Remove it unless the partitioner goes by the key.",
        ),
        *_advise_writer(scope),
    ]


def advise_sink(scope: Scope) -> list[Problem]:
    if scope.values.get(kafka.SINK_PARTITIONER) != RoundRobin() or scope.written(message.KEY_FIELDS):
        return _advise_writer(scope)
    return [
        _warning(
            f"{scope.name(kafka.SINK_PARTITIONER)} is 'round-robin', so rows of one key go to different "
            "partitions and lose their order.",
            scope.where(kafka.SINK_PARTITIONER),
            "Write 'default', with 'key.format' and 'key.fields', to keep the order of each key.",
        ),
        *_advise_writer(scope),
    ]


def _advise_writer(scope: Scope) -> list[Problem]:
    options = scope.values
    advice: list[Problem] = []
    exactly_once = options.get(kafka.SINK_DELIVERY_GUARANTEE) is DeliveryGuarantee.EXACTLY_ONCE
    if exactly_once and (options.get(table.SINK_PARALLELISM) or 1) > 1:
        advice.append(
            _warning(
                f"{scope.name(table.SINK_PARALLELISM)} has no effect with 'exactly-once': one task writes a batch, in one "
                "transaction.",
                scope.where(table.SINK_PARALLELISM),
                "Remove it, or write 'sink.delivery-guarantee' = 'at-least-once'.",
            )
        )
    idempotence = reveal(options.properties.get("enable.idempotence", "")).lower()
    if idempotence == "false":
        key = "properties.enable.idempotence"
        if exactly_once:
            advice.append(
                Problem(
                    f"'{key}' is 'false', and 'exactly-once' needs it.",
                    options.spans.get(key),
                    "Remove it, or write 'sink.delivery-guarantee' = 'at-least-once'.",
                )
            )
        else:
            advice.append(
                _warning(
                    f"'{key}' is 'false', so a retry can write a row twice or out of order.",
                    options.spans.get(key),
                    "Remove it, unless the broker refuses idempotent producers, as ApsaraMQ for Kafka does.",
                )
            )
    timeout = reveal(options.properties.get("transaction.timeout.ms", ""))
    if exactly_once and timeout.isdecimal() and timedelta(milliseconds=int(timeout[:12])) > _BROKER_LIMIT:
        key = "properties.transaction.timeout.ms"
        advice.append(
            _warning(
                f"'{key}' is above 15 minutes, the most a broker allows unless it is told otherwise.",
                options.spans.get(key),
                "Write '900000' or less, or raise 'transaction.max.timeout.ms' on the brokers.",
            )
        )
    return advice


def _warning(message: str, span: Span | None, hint: str) -> Problem:
    return Problem(message, span, hint, Severity.WARNING)
