"""The formats of change data capture in JSON. A new one is its envelope, its options and a line here."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.formats.cdc import options_canal, options_debezium, options_maxwell, options_ogg
from firesteel.formats.json.spec import complain_of_keys
from firesteel.formats.spec import FormatSpec
from firesteel.options.option import Side
from firesteel.options.rule import NeverTrue

DEBEZIUM = FormatSpec(
    "debezium-json",
    options_debezium.ROWS,
    "cdc.debezium:make_decoder",
    "cdc.debezium:make_encoder",
    ALL,
    rules=(
        NeverTrue(
            options_debezium.SCHEMA_INCLUDE,
            "which only a table that is read can have",
            "Remove it: messages are written without a schema.",
            Side.SINK,
        ),
    ),
    metadata=options_debezium.METADATA,
    type_rule=complain_of_keys,
)

CANAL = FormatSpec(
    "canal-json",
    options_canal.ROWS,
    "cdc.canal:make_decoder",
    "cdc.canal:make_encoder",
    ALL,
    metadata=options_canal.METADATA,
    type_rule=complain_of_keys,
)
MAXWELL = FormatSpec(
    "maxwell-json",
    options_maxwell.ROWS,
    "cdc.maxwell:make_decoder",
    "cdc.maxwell:make_encoder",
    ALL,
    metadata=options_maxwell.METADATA,
    type_rule=complain_of_keys,
)
OGG = FormatSpec(
    "ogg-json",
    options_ogg.ROWS,
    "cdc.ogg:make_decoder",
    "cdc.ogg:make_encoder",
    ALL,
    metadata=options_ogg.METADATA,
    type_rule=complain_of_keys,
)
