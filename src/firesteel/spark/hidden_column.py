"""The hidden columns of a row: what it means in a changelog, when it came, in which batch.

They are there only where a plan needs them. An operator that does not know them hands them on (`carried`).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog import RowKind
from firesteel.spark.column import column
from firesteel.spark.source.event_time import MARK, SLOT, WATERMARK

#: What the row means, as its kind's place among `RowKind`'s members: the formats count them so too.
KIND = "__kind"
#: The row's place in the order of arrival.
ORDER = "__order"
#: How many equal rows the row stands for.
WEIGHT = "__weight"
#: The number of the batch in which a row came. It only grows, and is the same when a batch is run again.
BATCH = "__batch"
#: 1 for a row that comes, -1 for one that goes.
SIGN = "__sign"

CODES = {kind: code for code, kind in enumerate(RowKind)}


def code(kind: RowKind) -> Column:
    return F.lit(CODES[kind]).cast("tinyint")


def carried(rows: DataFrame) -> list[Column]:
    return [column(name) for name in (KIND, ORDER, WEIGHT, MARK, SLOT, WATERMARK) if name in rows.columns]


def sign(rows: DataFrame) -> Column:
    if KIND not in rows.columns:
        return F.lit(1).cast("bigint")
    gone = column(KIND).isin(CODES[RowKind.UPDATE_BEFORE], CODES[RowKind.DELETE])
    return F.when(gone, F.lit(-1)).otherwise(F.lit(1)).cast("bigint")


def kind_of(signed: Column) -> Column:
    """The kind of a row that only comes or goes."""
    return F.when(signed > 0, code(RowKind.INSERT)).otherwise(code(RowKind.DELETE))
