"""Reads what a sink's topic says in the end, and compares it with what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from bench.answer import last_values, read_blocks

Schema = Mapping[str, pl.DataType | type[pl.DataType]]
Read = Callable[[Mapping[str, str], str, Schema], pl.DataFrame]


def read_upserts(cluster: Mapping[str, str], topic: str, schema: Schema) -> pl.DataFrame:
    """Reads the last row of each key."""
    return _parse(last_values(cluster, topic), schema)


def read_changelog(cluster: Mapping[str, str], topic: str, schema: Schema) -> pl.DataFrame:
    """Reads a changelog, and gives the rows that it inserts more often than it takes them back: with a column `times` if that is not
    once, or if rows are taken back too often.
    """
    row = pl.Struct(dict(schema))
    values = [message.value() or b"" for block in read_blocks(cluster, topic) for message in block]
    changes = _parse(values, {"before": row, "after": row})
    sides = [
        changes.select(pl.col(side).alias("row"), pl.lit(sign).alias("times")).filter(pl.col("row").is_not_null())
        for side, sign in (("before", -1), ("after", 1))
    ]
    counted = pl.concat(sides).group_by("row").agg(pl.col("times").sum()).filter(pl.col("times") != 0)
    found = counted.unnest("row")
    return found.drop("times") if (found["times"] == 1).all() else found


def _parse(values: list[bytes], schema: Schema) -> pl.DataFrame:
    return pl.read_ndjson(b"\n".join(values), schema=dict(schema)) if values else pl.DataFrame(schema=dict(schema))


def compare(expected: pl.DataFrame, found: pl.DataFrame) -> str | None:
    """Says what is different, if anything is.

    >>> compare(pl.DataFrame({"g": [1, 2]}), pl.DataFrame({"g": [2, 1]}))
    >>> compare(pl.DataFrame({"g": [1, 2]}), pl.DataFrame({"g": [2, 3]}))
    '2 rows of which 1 are wrong, 1 of 2 are missing: expected {"g":1}, found {"g":3}'
    """
    if found.columns != expected.columns:
        return f"there are rows that were inserted or taken back more than once: {_first(found)}"
    missing, wrong = (
        one.join(other, on=one.columns, how="anti", nulls_equal=True)
        for one, other in ((expected, found), (found, expected))
    )
    if missing.is_empty() and wrong.is_empty() and found.height == expected.height:
        return None
    return (
        f"{found.height:,} rows of which {wrong.height:,} are wrong, {missing.height:,} of {expected.height:,} are missing:"
        f" expected {_first(missing)}, found {_first(wrong)}"
    )


def _first(rows: pl.DataFrame) -> str:
    rows = rows.sort(rows.columns).head(1)
    return str(rows.select(pl.struct(rows.columns).struct.json_encode()).item()) if rows.height else "none"
