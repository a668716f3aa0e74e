"""`'connector' = 'kafka'`, `'upsert-kafka'` and `'dynamic-kafka'`: what their tables need, exclude and promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import Any

from firesteel.changelog.kind import UPSERT, RowKind
from firesteel.connectors.kafka import advice, options, options_dynamic, options_upsert
from firesteel.connectors.kafka.client.setting import PROPERTIES, check_properties
from firesteel.connectors.kafka.old_dialect import translate_partitioner
from firesteel.connectors.kafka.options import BoundedMode, StartupMode
from firesteel.connectors.kafka.partitioner import Custom, RoundRobin
from firesteel.connectors.kafka.rule import AnotherTopic, OneTopicWhen
from firesteel.connectors.kafka.start import Unbounded, bound
from firesteel.connectors.spec import ConnectorSpec, DeliveryGuarantee, Key, Places, UserClass
from firesteel.errors import Problem
from firesteel.options import error_handling, message
from firesteel.options.error_handling import ERROR_HANDLING_LOG_TARGET, ERROR_HANDLING_MODE, ErrorMode
from firesteel.options.message import ValueFields
from firesteel.options.option import Option, Side
from firesteel.options.rule import (
    Exclusive,
    NeverWith,
    OneOf,
    OnlyWhen,
    OnlyWith,
    PropertyWhen,
    RequiredWhen,
    Rule,
    Scope,
    Together,
)
from firesteel.options.value import OptionValues

_TOPIC_RULES: tuple[Rule, ...] = (
    Exclusive(options.TOPIC, options.TOPIC_PATTERN, "Keep one of them."),
    OneOf((options.TOPIC, options.TOPIC_PATTERN), "Add the topic to read or write."),
)
_KEY_PREFIX_RULE: Rule = OnlyWhen(
    message.KEY_FIELDS_PREFIX,
    message.VALUE_FIELDS_INCLUDE,
    ValueFields.EXCEPT_KEY,
    "With 'ALL' the key's columns would be in the value too, and their names would overlap.",
)


def _mode_rules(
    mode: Option[Any], by_time: Enum, millis: Option[Any], by_offset: Enum, offsets: Option[Any]
) -> tuple[Rule, ...]:
    """Gives the rules of a startup mode, or of a bounded mode: what each of its values needs."""
    return (
        RequiredWhen(mode, by_time, needs=millis, hint="Add it, in epoch milliseconds.", side=Side.SOURCE),
        RequiredWhen(
            mode,
            by_offset,
            needs=offsets,
            hint="Add it, in the form 'partition:0,offset:42;partition:1,offset:300'.",
            side=Side.SOURCE,
        ),
        OneTopicWhen(mode, by_offset, side=Side.SOURCE),
    )


_READ_RULES: tuple[Rule, ...] = (
    *_mode_rules(
        options.SCAN_STARTUP_MODE,
        StartupMode.TIMESTAMP,
        options.SCAN_STARTUP_TIMESTAMP_MILLIS,
        StartupMode.SPECIFIC_OFFSETS,
        options.SCAN_STARTUP_SPECIFIC_OFFSETS,
    ),
    *_mode_rules(
        options.SCAN_BOUNDED_MODE,
        BoundedMode.TIMESTAMP,
        options.SCAN_BOUNDED_TIMESTAMP_MILLIS,
        BoundedMode.SPECIFIC_OFFSETS,
        options.SCAN_BOUNDED_SPECIFIC_OFFSETS,
    ),
    RequiredWhen(
        options.SCAN_BOUNDED_MODE,
        BoundedMode.GROUP_OFFSETS,
        needs=options.GROUP_ID,
        hint="Name the consumer group whose committed offsets end the job.",
        side=Side.SOURCE,
    ),
    RequiredWhen(
        ERROR_HANDLING_MODE,
        ErrorMode.LOG,
        needs=ERROR_HANDLING_LOG_TARGET,
        hint="Name the topic that gets the bad records.",
        side=Side.SOURCE,
    ),
    AnotherTopic(
        ERROR_HANDLING_LOG_TARGET,
        "Name another one: bad records would be read again for ever.",
        side=Side.SOURCE,
    ),
)

_KAFKA_RULES: tuple[Rule, ...] = (
    *_TOPIC_RULES,
    OneOf((message.FORMAT, message.VALUE_FORMAT), "Add the format of the message value, such as 'json'."),
    OnlyWith(message.KEY_FIELDS, message.KEY_FORMAT, "Add the format of the message key, such as 'json'."),
    OnlyWith(message.KEY_FORMAT, message.KEY_FIELDS, "Name the columns of the message key, separated by ';'."),
    _KEY_PREFIX_RULE,
    *_READ_RULES,
    PropertyWhen(
        options.SCAN_STARTUP_MODE,
        StartupMode.GROUP_OFFSETS,
        "auto.offset.reset",
        ("earliest", "latest", "none"),
        side=Side.SOURCE,
    ),
    NeverWith(
        options.SINK_PARTITIONER,
        RoundRobin(),
        "round-robin",
        message.KEY_FIELDS,
        "Messages with a key go where the key says. Remove one of the two.",
        side=Side.SINK,
    ),
)


def _topics(values: OptionValues) -> str:
    pattern, topics = values.get(options.TOPIC_PATTERN), values.get(options.TOPIC) or ()
    return f"pattern {pattern.pattern}" if pattern is not None else ", ".join(topics)


def _places(values: OptionValues) -> Places:
    cluster = values.get(options.BOOTSTRAP_SERVERS) or values.properties.get("bootstrap.servers", "")
    return Places(cluster, values.get(options.TOPIC) or (), values.get(options.TOPIC_PATTERN))


def _several_topics(scope: Scope) -> Option[Any] | None:
    if scope.written(options.TOPIC_PATTERN):
        return options.TOPIC_PATTERN
    topics: tuple[str, ...] = scope.values.get(options.TOPIC) or ()
    return options.TOPIC if len(topics) > 1 else None


def _has_bound(values: OptionValues) -> bool:
    return not isinstance(bound(values), Unbounded)


def _guarantee(values: OptionValues) -> DeliveryGuarantee:
    return values.get(options.SINK_DELIVERY_GUARANTEE) or DeliveryGuarantee.AT_LEAST_ONCE


def _partitioner(values: OptionValues) -> UserClass | None:
    chosen = values.get(options.SINK_PARTITIONER)
    return UserClass(chosen.path, values.span(options.SINK_PARTITIONER)) if isinstance(chosen, Custom) else None


def _check_client(values: OptionValues, side: Side, prefix: str, environment: Mapping[str, str]) -> tuple[Problem, ...]:
    return check_properties(values.properties, values.spans, side, prefix, environment)


KAFKA = ConnectorSpec(
    "kafka",
    (*options.ROWS, *error_handling.ROWS),
    _KAFKA_RULES,
    options.METADATA,
    other_names=("kafka-0.10", "kafka-0.11", "kafka-universal"),
    key=Key.OPTIONAL,
    needs_format=True,
    is_bounded=_has_bound,
    identity=_topics,
    advise_source=advice.advise_source,
    advise_sink=advice.advise_sink,
    places=_places,
    several_places=_several_topics,
    guarantee=_guarantee,
    partitioner=_partitioner,
    client_settings=frozenset(PROPERTIES),
    client_reference="kafka.reference:client_reference",
    check_client=_check_client,
    translate_old=translate_partitioner,
    updates_as="upsert-kafka",
    runtime="kafka.runtime:KafkaRuntime",
    worker_modules=("kafka.write_task", "kafka.record_decoder", "kafka.stream_reader"),
)

UPSERT_KAFKA = replace(
    KAFKA,
    name="upsert-kafka",
    rows=(*options_upsert.ROWS, *error_handling.ROWS),
    rules=(
        *_TOPIC_RULES,
        _KEY_PREFIX_RULE,
        *_READ_RULES,
        Together(options_upsert.SINK_BUFFER_FLUSH_MAX_ROWS, options_upsert.SINK_BUFFER_FLUSH_INTERVAL, side=Side.SINK),
    ),
    other_names=(),
    # Such a topic says neither what a row was before nor whether it is new.
    reads=frozenset({RowKind.UPDATE_AFTER, RowKind.DELETE}),
    writes=UPSERT,
    key=Key.PRIMARY_KEY,
    advise_source=advice.advise_upsert_source,
    advise_sink=advice.advise_upsert_sink,
    updates_as=None,
)

DYNAMIC_KAFKA = replace(
    KAFKA,
    name="dynamic-kafka",
    rows=(*options_dynamic.ROWS, *error_handling.ROWS),
    other_names=(),
    is_="kafka",
    updates_as=None,
)
