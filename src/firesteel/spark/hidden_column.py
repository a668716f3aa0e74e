"""The hidden columns (`changelog/hidden.py`) as columns of Spark's. An operator that does not know one hands it on (`carried`)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import CODES, KIND, MARK, ORDER, SLOT, WATERMARK, WEIGHT
from firesteel.changelog.kind import RowKind
from firesteel.spark.column import column

#: Spark's watermark begins in 1970, and rows before it would be late from the start. So ours count from the year 1.
SHIFT = 62_135_596_800_000


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
    """Gives the kind of a row that is inserted or deleted, by its sign."""
    return F.when(signed > 0, code(RowKind.INSERT)).otherwise(code(RowKind.DELETE))
