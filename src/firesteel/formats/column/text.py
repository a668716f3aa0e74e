"""Parses columns of texts at once, if every text has the simple form of its type.

Other texts are left to the exact readers: a function here returns None for a column that it cannot be sure of.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.column import timestamp as text_column
from firesteel.formats.java.number import JAVA_SPACE
from firesteel.types import DataType

#: Converts an array that was read to the column's own type. Returns None to refuse it.
Finish = Callable[[pa.Array], pa.Array | None]

_WHOLE = r"^-?[0-9]{1,20}$"
_FLOATING = r"^-?[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,5})?$"


def text_reader(data_type: DataType) -> Finish | None:
    """Returns the parser of a type's texts, or None if only the exact readers can parse them."""
    result = arrow_type(data_type)
    match data_type:
        case types.Char() | types.Varchar():
            return lambda texts: texts
        case types.TinyInt() | types.SmallInt() | types.Int() | types.BigInt():
            return _matching(_WHOLE, result)
        case types.Float() | types.Double():
            return _matching(_FLOATING, result)
        case types.Decimal(precision, scale):
            fraction = rf"(?:\.[0-9]{{1,{scale}}})?" if scale else ""
            # Matches only texts whose digits before the point fit into the column.
            return _matching(rf"^-?[0-9]{{1,{max(1, precision - scale)}}}{fraction}$", result)
        case types.Boolean():
            return lambda texts: pc.equal(pc.ascii_lower(pc.utf8_trim(texts, JAVA_SPACE)), "true")
        case types.Date():
            return lambda texts: text_column.read_column(texts, text_column.read_dates, result)
        case types.Timestamp():
            return text_column.timestamp_reader(" ", utc=False)
        case types.TimestampLtz():
            return text_column.timestamp_reader(" ", utc=True)
    return None


def _matching(pattern: str, result: pa.DataType) -> Finish:
    def finish(texts: pa.Array) -> pa.Array | None:
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py() is False:
            return None
        column = texts.cast(result)
        column.validate(full=True)
        return column

    return finish
