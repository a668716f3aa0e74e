"""`'format' = 'debezium-json'`."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.formats.debezium import options
from firesteel.formats.json.spec import complain_of_keys
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import FormatSpec
from firesteel.options.option import Side
from firesteel.options.rule import NeverTrue

DEBEZIUM = FormatSpec(
    "debezium-json",
    options.ROWS,
    "debezium.codec:make_decoder",
    "debezium.codec:make_encoder",
    ALL,
    rules=(
        NeverTrue(
            options.SCHEMA_INCLUDE,
            "which only a table that is read can have",
            "Remove it: messages are written without a schema.",
            Side.SINK,
        ),
    ),
    metadata=options.METADATA,
    ignore_errors=IGNORE_PARSE_ERRORS,
    type_rule=complain_of_keys,
)
