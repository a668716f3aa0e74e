"""`'format' = 'ogg-json'`."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.formats.json.spec import complain_of_keys
from firesteel.formats.ogg import options
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import FormatSpec

OGG = FormatSpec(
    "ogg-json",
    options.ROWS,
    "ogg.codec:make_decoder",
    "ogg.codec:make_encoder",
    ALL,
    metadata=options.METADATA,
    ignore_errors=IGNORE_PARSE_ERRORS,
    type_rule=complain_of_keys,
)
