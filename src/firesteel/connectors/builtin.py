"""Every connector and every format, with its rows, rules and metadata. A new one is one module and one line here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from firesteel.changelog.kind import ALL, INSERT_ONLY, UPSERT, Changelog, RowKind
from firesteel.connectors.blackhole import options as blackhole
from firesteel.connectors.datagen import generator
from firesteel.connectors.datagen import options as datagen
from firesteel.connectors.kafka import advice as kafka_advice
from firesteel.connectors.kafka import options as kafka
from firesteel.connectors.kafka import options_dynamic as dynamic_kafka
from firesteel.connectors.kafka import options_upsert as upsert_kafka
from firesteel.connectors.kafka.options import BoundedMode, StartupMode, ValueFields
from firesteel.connectors.kafka.partitioner import RoundRobin
from firesteel.connectors.kafka.start import Unbounded, bound
from firesteel.connectors.print import options as print
from firesteel.connectors.spec import ConnectorSpec, Key, Places
from firesteel.formats.avro import options as avro
from firesteel.formats.avro_confluent import options as avro_confluent
from firesteel.formats.cdc import options_canal as canal_json
from firesteel.formats.cdc import options_debezium as debezium_json
from firesteel.formats.cdc import options_maxwell as maxwell_json
from firesteel.formats.cdc import options_ogg as ogg_json
from firesteel.formats.csv import options as csv
from firesteel.formats.json import options as json
from firesteel.formats.raw import options as raw
from firesteel.options import error_handling
from firesteel.options.error_handling import ERROR_HANDLING_LOG_TARGET, ERROR_HANDLING_MODE, ErrorMode
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Option, Side
from firesteel.options.rule import (
    AnotherTopic,
    Exclusive,
    NeverTrue,
    NeverWith,
    NotBothTrue,
    OneOf,
    OneTopicWhen,
    OnlyWhen,
    OnlyWith,
    PropertyWhen,
    RequiredWhen,
    Rule,
    Together,
)
from firesteel.options.value import OptionValues


@dataclass(frozen=True)
class FormatSpec:
    """`changelog` is what its messages can say; every format here reads and writes the same kinds.

    `metadata` keys are those of a value format, without their `value.` prefix.
    """

    name: str
    rows: tuple[Option[Any], ...]
    changelog: Changelog = INSERT_ONLY
    rules: tuple[Rule, ...] = ()
    metadata: tuple[MetadataKey, ...] = ()
    #: Rows that take any name below them, as `properties.*` does.
    open_prefixes: tuple[str, ...] = ()


_OFFSETS_FORM = "Add it, in the form 'partition:0,offset:42;partition:1,offset:300'."
_MILLIS = "Add it, in epoch milliseconds."

_TOPIC_RULES: tuple[Rule, ...] = (
    Exclusive(kafka.TOPIC, kafka.TOPIC_PATTERN, "Keep one of them."),
    OneOf((kafka.TOPIC, kafka.TOPIC_PATTERN), "Add the topic to read or write."),
)
_KEY_PREFIX_RULE: Rule = OnlyWhen(
    kafka.KEY_FIELDS_PREFIX,
    kafka.VALUE_FIELDS_INCLUDE,
    ValueFields.EXCEPT_KEY,
    "With 'ALL' the key's columns would be in the value too, and their names would overlap.",
)
_READ_RULES: tuple[Rule, ...] = (
    RequiredWhen(
        kafka.SCAN_STARTUP_MODE,
        StartupMode.TIMESTAMP,
        needs=kafka.SCAN_STARTUP_TIMESTAMP_MILLIS,
        hint=_MILLIS,
        side=Side.SOURCE,
    ),
    RequiredWhen(
        kafka.SCAN_STARTUP_MODE,
        StartupMode.SPECIFIC_OFFSETS,
        needs=kafka.SCAN_STARTUP_SPECIFIC_OFFSETS,
        hint=_OFFSETS_FORM,
        side=Side.SOURCE,
    ),
    RequiredWhen(
        kafka.SCAN_BOUNDED_MODE,
        BoundedMode.TIMESTAMP,
        needs=kafka.SCAN_BOUNDED_TIMESTAMP_MILLIS,
        hint=_MILLIS,
        side=Side.SOURCE,
    ),
    RequiredWhen(
        kafka.SCAN_BOUNDED_MODE,
        BoundedMode.SPECIFIC_OFFSETS,
        needs=kafka.SCAN_BOUNDED_SPECIFIC_OFFSETS,
        hint=_OFFSETS_FORM,
        side=Side.SOURCE,
    ),
    RequiredWhen(
        kafka.SCAN_BOUNDED_MODE,
        BoundedMode.GROUP_OFFSETS,
        needs=kafka.GROUP_ID,
        hint="Name the consumer group whose committed offsets end the job.",
        side=Side.SOURCE,
    ),
    OneTopicWhen(kafka.SCAN_STARTUP_MODE, StartupMode.SPECIFIC_OFFSETS, side=Side.SOURCE),
    OneTopicWhen(kafka.SCAN_BOUNDED_MODE, BoundedMode.SPECIFIC_OFFSETS, side=Side.SOURCE),
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
_JSON_DECODE_RULE: Rule = NotBothTrue(
    json.FAIL_ON_MISSING_FIELD,
    json.IGNORE_PARSE_ERRORS,
    "Keep one: a record cannot both fail and be ignored.",
    Side.SOURCE,
)

_KAFKA_RULES: tuple[Rule, ...] = (
    *_TOPIC_RULES,
    OneOf((kafka.FORMAT, kafka.VALUE_FORMAT), "Add the format of the message value, such as 'json'."),
    OnlyWith(kafka.KEY_FIELDS, kafka.KEY_FORMAT, "Add the format of the message key, such as 'json'."),
    OnlyWith(kafka.KEY_FORMAT, kafka.KEY_FIELDS, "Name the columns of the message key, separated by ';'."),
    _KEY_PREFIX_RULE,
    *_READ_RULES,
    PropertyWhen(
        kafka.SCAN_STARTUP_MODE,
        StartupMode.GROUP_OFFSETS,
        "auto.offset.reset",
        ("earliest", "latest", "none"),
        side=Side.SOURCE,
    ),
    NeverWith(
        kafka.SINK_PARTITIONER,
        RoundRobin(),
        "round-robin",
        kafka.KEY_FIELDS,
        "Messages with a key go where the key says. Remove one of the two.",
        side=Side.SINK,
    ),
)


def _topics(options: OptionValues) -> str:
    pattern, topics = options.get(kafka.TOPIC_PATTERN), options.get(kafka.TOPIC) or ()
    return f"pattern {pattern.pattern}" if pattern is not None else ", ".join(topics)


def _places(options: OptionValues) -> Places:
    cluster = options.get(kafka.BOOTSTRAP_SERVERS) or options.properties.get("bootstrap.servers", "")
    return Places(cluster, options.get(kafka.TOPIC) or (), options.get(kafka.TOPIC_PATTERN))


def _has_bound(options: OptionValues) -> bool:
    return not isinstance(bound(options), Unbounded)


_KAFKA = ConnectorSpec(
    "kafka",
    (*kafka.ROWS, *error_handling.ROWS),
    _KAFKA_RULES,
    kafka.METADATA,
    other_names=("kafka-0.10", "kafka-0.11", "kafka-universal"),
    key=Key.OPTIONAL,
    needs_format=True,
    is_bounded=_has_bound,
    identity=_topics,
    advise_source=kafka_advice.advise_source,
    advise_sink=kafka_advice.advise_sink,
    places=_places,
    updates_as="upsert-kafka",
    runtime="kafka",
)

CONNECTORS = (
    _KAFKA,
    replace(
        _KAFKA,
        name="upsert-kafka",
        rows=(*upsert_kafka.ROWS, *error_handling.ROWS),
        rules=(
            *_TOPIC_RULES,
            _KEY_PREFIX_RULE,
            *_READ_RULES,
            Together(upsert_kafka.SINK_BUFFER_FLUSH_MAX_ROWS, upsert_kafka.SINK_BUFFER_FLUSH_INTERVAL, side=Side.SINK),
        ),
        other_names=(),
        # Such a topic says neither what a row was before nor whether it is new.
        reads=frozenset({RowKind.UPDATE_AFTER, RowKind.DELETE}),
        writes=UPSERT,
        key=Key.PRIMARY_KEY,
        advise_source=kafka_advice.advise_upsert_source,
        advise_sink=kafka_advice.advise_upsert_sink,
        updates_as=None,
    ),
    replace(
        _KAFKA,
        name="dynamic-kafka",
        rows=(*dynamic_kafka.ROWS, *error_handling.ROWS),
        other_names=(),
        is_="kafka",
        updates_as=None,
    ),
    ConnectorSpec(
        "datagen",
        datagen.ROWS,
        side=Side.SOURCE,
        reads=INSERT_ONLY,
        is_bounded=generator.is_bounded,
        identity=lambda _: "datagen",
        check_fields=generator.check_fields,
        runtime="datagen",
    ),
    ConnectorSpec("print", print.ROWS, side=Side.SINK, writes=ALL, runtime="print"),
    ConnectorSpec("blackhole", blackhole.ROWS, side=Side.SINK, writes=ALL, runtime="blackhole"),
)

FORMATS = (
    FormatSpec(
        "csv",
        csv.ROWS,
        rules=(
            NeverWith(
                csv.DISABLE_QUOTE_CHARACTER,
                True,
                "true",
                csv.QUOTE_CHARACTER,
                "Remove one of the two.",
            ),
        ),
    ),
    FormatSpec("json", json.ROWS, rules=(_JSON_DECODE_RULE,)),
    FormatSpec("avro", avro.ROWS),
    FormatSpec(
        "debezium-json",
        debezium_json.ROWS,
        ALL,
        (
            NeverTrue(
                debezium_json.SCHEMA_INCLUDE,
                "which only a table that is read can have",
                "Remove it: messages are written without a schema.",
                Side.SINK,
            ),
        ),
        debezium_json.METADATA,
    ),
    FormatSpec("canal-json", canal_json.ROWS, ALL, metadata=canal_json.METADATA),
    FormatSpec("maxwell-json", maxwell_json.ROWS, ALL, metadata=maxwell_json.METADATA),
    FormatSpec("ogg-json", ogg_json.ROWS, ALL, metadata=ogg_json.METADATA),
    FormatSpec("raw", raw.ROWS),
    FormatSpec("avro-confluent", avro_confluent.ROWS, open_prefixes=("properties.",)),
)


def connector(name: str) -> ConnectorSpec | None:
    return next((spec for spec in CONNECTORS if name == spec.name or name in spec.other_names), None)


@cache
def vocabulary() -> frozenset[str]:
    """The words of these rows, which messages are made of: whoever has one of them for a password is not given away by it."""
    names = {name for spec in CONNECTORS for name in (spec.name, *spec.other_names)} | {spec.name for spec in FORMATS}
    keys = {row.key for connector in CONNECTORS for row in connector.rows}
    keys |= {row.key for spec in FORMATS for row in spec.rows}
    return frozenset({*names, *keys, *(part for key in keys for part in re.split(r"[.\-]", key))})


def format_named(name: str) -> FormatSpec | None:
    return next((spec for spec in FORMATS if spec.name == name), None)
