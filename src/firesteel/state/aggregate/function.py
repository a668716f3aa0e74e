"""An aggregate function over inserted and retracted rows, as an operator is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyarrow as pa


class Function(Enum):
    """The functions, by their names in SQL."""

    COUNT = "COUNT"
    SUM = "SUM"
    AVG = "AVG"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    MIN = "MIN"
    MAX = "MAX"
    FIRST_VALUE = "FIRST_VALUE"
    LAST_VALUE = "LAST_VALUE"
    LISTAGG = "LISTAGG"
    COLLECT = "COLLECT"
    ARRAY_AGG = "ARRAY_AGG"


@dataclass(frozen=True)
class Aggregate:
    """One aggregate: the column it gives, with its type, and the columns it reads.

    `argument` is None for COUNT(*). `filter` names a boolean column: only rows where it is true count.
    """

    name: str
    function: Function
    type: pa.DataType
    argument: str | None = None
    filter: str | None = None
    distinct: bool = False
    separator: str = ","
