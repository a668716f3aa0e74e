"""`'format' = 'canal-json'`."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.formats.canal import options
from firesteel.formats.json.spec import complain_of_keys
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import FormatSpec

CANAL = FormatSpec(
    "canal-json",
    options.ROWS,
    "canal.codec:make_decoder",
    "canal.codec:make_encoder",
    ALL,
    metadata=options.METADATA,
    ignore_errors=IGNORE_PARSE_ERRORS,
    type_rule=complain_of_keys,
)
