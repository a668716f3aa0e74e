"""Lowers the conversion of an upsert topic to a full changelog: what each record changes, and from which row.

The records of a batch are collected to one chain for each key. The state keeps the key's previous chain, whose last row
is the one before the new chain. Each link of a chain is a change, as Flink gives it record by record.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from firesteel.changelog.hidden import BATCH, CODES, KIND, ORDER
from firesteel.changelog.kind import RowKind
from firesteel.plan.node.relation import Normalize
from firesteel.spark.column import column
from firesteel.spark.hidden_column import code
from firesteel.spark.lower.batch_fold import chains
from firesteel.types import DataType, Map, Multiset, Row

_CHAIN = "__chain"


def lower_normalize(node: Normalize, rows: DataFrame) -> DataFrame:
    names = {field.name: f"c{position}" for position, field in enumerate(node.fields)}
    held = rows.select(*(column(name).alias(short) for name, short in names.items()), column(KIND), column(ORDER))
    keys = [names[key] for key in node.keys]
    folded = chains(held, keys, _CHAIN)
    kept = F.max_by(column(_CHAIN), column(BATCH), 2).alias("__kept")
    grouped = folded.groupBy(*map(column, keys)).agg(kept)
    chain = F.get(column("__kept"), F.lit(0))
    # NULL if the key is new.
    last = F.element_at(F.get(column("__kept"), F.lit(1)), -1)
    links = grouped.select(
        F.explode(F.arrays_zip(chain.alias("new"), _shifted(chain, last).alias("old"))).alias("__link")
    )
    old, new = column("__link").getField("old"), column("__link").getField("new")
    lived = old.isNotNull() & (old.getField(KIND) != CODES[RowKind.DELETE])
    lives = new.getField(KIND) != CODES[RowKind.DELETE]
    compared = [short for field, short in zip(node.fields, names.values(), strict=True) if _has_equality(field.type)]
    same = [old.getField(short).eqNullSafe(new.getField(short)) for short in compared]
    unchanged = F.lit(len(compared) == len(names))
    for one in same:
        unchanged = unchanged & one

    def row(source: Column, kind: Column, there: Column) -> Column:
        values = [source.getField(short).alias(short) for short in names.values()]
        order = new.getField(ORDER).alias(ORDER)
        return F.struct(*values, kind.alias(KIND), order, there.alias("__there"))

    before = row(old, F.when(lives, code(RowKind.UPDATE_BEFORE)).otherwise(code(RowKind.DELETE)), lived)
    after = row(new, F.when(lived, code(RowKind.UPDATE_AFTER)).otherwise(code(RowKind.INSERT)), lives)
    changed = links.where(~(lived & lives & unchanged))
    changes = changed.select(F.explode(F.array(before, after)).alias("__row")).where("__row.__there")
    outputs = [column("__row").getField(short).alias(name) for name, short in names.items()]
    return changes.select(
        *outputs, column("__row").getField(KIND).alias(KIND), column("__row").getField(ORDER).alias(ORDER)
    )


def _shifted(chain: Column, last: Column) -> Column:
    """Returns the link before each link."""
    return F.concat(F.array(last), F.slice(chain, F.lit(1), F.size(chain) - 1))


def _has_equality(data_type: DataType) -> bool:
    match data_type:
        case Map() | Multiset():
            return False
        case Row(fields=fields):
            return all(_has_equality(field.type) for field in fields)
        case _:
            return True
