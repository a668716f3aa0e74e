"""`'format' = 'json'`."""

from __future__ import annotations

from firesteel.formats.bound import BoundFormat
from firesteel.formats.json import options
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import Complaint, FormatSpec
from firesteel.options.option import Side
from firesteel.options.rule import NotBothTrue
from firesteel.types import CHARACTER, Array, DataType, Map, Multiset, Row


def complain_of_keys(type_: DataType, format: BoundFormat) -> Complaint:
    """Refuses keys that are not text: the names of a JSON object's members are text."""
    match type_:
        case Map():
            if not isinstance(type_.key, CHARACTER):
                return "has only text as the key of a MAP", "Declare the key as STRING."
            return complain_of_keys(type_.value, format)
        case Multiset():
            if not isinstance(type_.element, CHARACTER):
                return "has only text in a MULTISET", "Declare MULTISET<STRING>."
        case Array():
            return complain_of_keys(type_.element, format)
        case Row():
            return next((bad for field in type_.fields if (bad := complain_of_keys(field.type, format))), None)
    return None


JSON = FormatSpec(
    "json",
    options.ROWS,
    "json.decoder:JsonDecoder",
    "json.encoder:JsonEncoder",
    rules=(
        NotBothTrue(
            options.FAIL_ON_MISSING_FIELD,
            IGNORE_PARSE_ERRORS,
            "Keep one: a record cannot both fail and be ignored.",
            Side.SOURCE,
        ),
    ),
    ignore_errors=IGNORE_PARSE_ERRORS,
    legacy=options.LEGACY_TIMES,
    type_rule=complain_of_keys,
)
