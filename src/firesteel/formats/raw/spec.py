"""`'format' = 'raw'`."""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.errors import Problem, Span
from firesteel.formats.bound import BoundFormat
from firesteel.formats.raw import options
from firesteel.formats.spec import Complaint, FormatSpec
from firesteel.types import APPROXIMATE, BINARY, CHARACTER, INTEGER, Boolean, DataType


def _complain(type_: DataType, format: BoundFormat) -> Complaint:
    if isinstance(type_, (*CHARACTER, *BINARY, *INTEGER, *APPROXIMATE, Boolean)):
        return None
    return "holds text, bytes, a number or a BOOLEAN", "Declare it as STRING or BYTES."


def _check_count(format: BoundFormat, spans: Mapping[str, Span], table: Span) -> list[Problem]:
    if len(format.columns) == 1:
        return []
    names = ", ".join(format.columns) or "none"
    message = f"The format 'raw' holds exactly one column, and it has {len(format.columns)}: {names}."
    hint = "Keep one physical column, or use 'key.fields' with 'value.fields-include' = 'EXCEPT_KEY'."
    return [Problem(message, table, hint)]


RAW = FormatSpec(
    "raw",
    options.ROWS,
    "raw.codec:RawDecoder",
    "raw.codec:RawEncoder",
    type_rule=_complain,
    column_rule=_check_count,
)
