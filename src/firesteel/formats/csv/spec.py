"""`'format' = 'csv'`."""

from __future__ import annotations

from firesteel.formats.bound import BoundFormat
from firesteel.formats.csv import options
from firesteel.formats.parse_errors import IGNORE_PARSE_ERRORS
from firesteel.formats.spec import Complaint, FormatSpec
from firesteel.options.rule import NeverWith
from firesteel.types import Array, DataType, Map, Multiset, Row


def _complain(type_: DataType, format: BoundFormat) -> Complaint:
    match type_:
        case Map() | Multiset():
            return "has no MAP and no MULTISET", "Declare it as STRING, or use another format."
        case Array():
            return _complain_of_nested((type_.element,))
        case Row():
            return _complain_of_nested(tuple(field.type for field in type_.fields))
    return None


def _complain_of_nested(types: tuple[DataType, ...]) -> Complaint:
    if any(isinstance(inner, (Array, Row, Map, Multiset)) for inner in types):
        return "nests one level deep at most", "Declare simple types inside it, or use another format."
    return None


CSV = FormatSpec(
    "csv",
    options.ROWS,
    "csv.decoder:CsvDecoder",
    "csv.encoder:CsvEncoder",
    rules=(
        NeverWith(options.DISABLE_QUOTE_CHARACTER, True, "true", options.QUOTE_CHARACTER, "Remove one of the two."),
    ),
    ignore_errors=IGNORE_PARSE_ERRORS,
    type_rule=_complain,
)
