"""`'format' = 'maxwell-json'`."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.formats.json.spec import complain_of_keys
from firesteel.formats.maxwell import options
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import FormatSpec

MAXWELL = FormatSpec(
    "maxwell-json",
    options.ROWS,
    "maxwell.codec:make_decoder",
    "maxwell.codec:make_encoder",
    ALL,
    metadata=options.METADATA,
    ignore_errors=IGNORE_PARSE_ERRORS,
    type_rule=complain_of_keys,
)
