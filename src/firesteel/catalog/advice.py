"""Legal and dangerous: what a table says that its author may not want. Warnings, each with its reason."""

from __future__ import annotations

from datetime import timedelta

from firesteel.catalog.table import Column, Physical
from firesteel.errors import Problem, Severity, Span
from firesteel.options import kafka, upsert_kafka
from firesteel.options.kafka import DeliveryGuarantee, StartupMode
from firesteel.options.partitioner import Default, RoundRobin
from firesteel.options.position import GroupOffsets, Reset, start_position
from firesteel.options.resolve import TableOptions
from firesteel.options.secret import reveal
from firesteel.types import Array, DataType, Map, Row, Time, Timestamp, TimestampLtz

#: The broker's own default of transaction.max.timeout.ms.
_BROKER_LIMIT = timedelta(minutes=15)


def advise_source(table: TableOptions) -> list[Problem]:
    scope, options = table.scope, table.options
    advice: list[Problem] = []
    if table.connector == "kafka":
        start = start_position(table.connector, options)
        wrong_mode = scope.written(kafka.SCAN_STARTUP_MODE) and not options.given(kafka.SCAN_STARTUP_MODE)
        if isinstance(start, GroupOffsets) and not wrong_mode and not scope.written(kafka.GROUP_ID):
            first = "latest" if start.reset is Reset.LATEST else "earliest"
            advice.append(
                _warning(
                    f"{scope.name(kafka.SCAN_STARTUP_MODE)} is 'group-offsets' and there is no "
                    f"{scope.name(kafka.GROUP_ID)}, so reading starts from the {first} offset.",
                    scope.where(kafka.SCAN_STARTUP_MODE),
                    f"Add {scope.name(kafka.GROUP_ID)}, or write {scope.name(kafka.SCAN_STARTUP_MODE)} = "
                    f"'{first}-offset' to say that this is meant.",
                )
            )
    elif options.given(upsert_kafka.SCAN_STARTUP_MODE):
        mode = options.get(upsert_kafka.SCAN_STARTUP_MODE)
        if mode is StartupMode.EARLIEST:
            risk, hint = "", "Remove it to keep the script running on Flink: this is where such a topic starts anyway."
        else:
            risk = " Keys whose last change is older are not seen."
            hint = "Remove it to read the topic from its beginning, unless that is meant."
        advice.append(
            _warning(
                f"{scope.name(upsert_kafka.SCAN_STARTUP_MODE)} is set on an 'upsert-kafka' table, which Flink "
                f"refuses.{risk}",
                scope.where(upsert_kafka.SCAN_STARTUP_MODE),
                hint,
            )
        )
    return advice


def advise_sink(table: TableOptions) -> list[Problem]:
    scope, options = table.scope, table.options
    advice: list[Problem] = []
    partitioner = options.get(kafka.SINK_PARTITIONER)
    if table.connector == "upsert-kafka" and partitioner not in (None, Default()):
        advice.append(
            _warning(
                f"{scope.name(kafka.SINK_PARTITIONER)} is set on an 'upsert-kafka' table, so changes of one key may "
                "go to different partitions and be read in another order.",
                scope.where(kafka.SINK_PARTITIONER),
                "Flink always partitions such a topic by its key. Remove it unless the partitioner goes by the key.",
            )
        )
    elif partitioner == RoundRobin() and not scope.written(kafka.KEY_FIELDS):
        advice.append(
            _warning(
                f"{scope.name(kafka.SINK_PARTITIONER)} is 'round-robin', so rows of one key go to different "
                "partitions and lose their order.",
                scope.where(kafka.SINK_PARTITIONER),
                "Write 'default', with 'key.format' and 'key.fields', to keep the order of each key.",
            )
        )
    exactly_once = options.get(kafka.SINK_DELIVERY_GUARANTEE) is DeliveryGuarantee.EXACTLY_ONCE
    if exactly_once and (options.get(kafka.SINK_PARALLELISM) or 1) > 1:
        advice.append(
            _warning(
                f"{scope.name(kafka.SINK_PARALLELISM)} has no effect with 'exactly-once': one task writes a batch, in one "
                "transaction.",
                scope.where(kafka.SINK_PARALLELISM),
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


def advise_legacy(table: TableOptions, columns: tuple[Column, ...]) -> list[Problem]:
    """What cannot be known of a table of the old dialects."""
    physical = [column for column in columns if isinstance(column, Physical)]
    problems: list[Problem] = []
    written_as_text = any(_has_time(column.type) for column in physical)
    if (
        table.flink_1_10 is None
        and table.value_format is not None
        and table.value_format.name == "json"
        and written_as_text
    ):
        problems.append(
            _warning(
                "Timestamps are read and written as '2026-01-01 10:00:00', as for Huawei DLI. Flink 1.10 has"
                " '2026-01-01T10:00:00Z'.",
                table.value_format.span,
                "Write 'connector.version' = 'universal' for a table of Flink 1.10.",
            )
        )
    return problems


def _has_time(data_type: DataType) -> bool:
    match data_type:
        case Time() | Timestamp() | TimestampLtz():
            return True
        case Array(element=element):
            return _has_time(element)
        case Map(value=value):
            return _has_time(value)
        case Row(fields=fields):
            return any(_has_time(field.type) for field in fields)
    return False


def _warning(message: str, span: Span | None, hint: str) -> Problem:
    return Problem(message, span, hint, Severity.WARNING)
