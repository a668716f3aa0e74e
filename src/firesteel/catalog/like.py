"""Resolves `CREATE TABLE … LIKE other (…)`: merges the two definitions before anything else is resolved."""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import Problem
from firesteel.sql.statement import (
    ComputedColumn,
    CreateTable,
    Like,
    MetadataColumn,
    OptionEntry,
    PhysicalColumn,
)

_FEATURES = ("CONSTRAINTS", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS", "DISTRIBUTION")
_MAY_OVERWRITE = ("GENERATED", "METADATA", "OPTIONS", "WATERMARKS")
#: Flink's default: everything is included, and options may be overwritten.
_DEFAULT = dict.fromkeys(_FEATURES, "INCLUDING") | {"OPTIONS": "OVERWRITING"}


def merge_like(statement: CreateTable, other: CreateTable, like: Like) -> tuple[CreateTable, tuple[Problem, ...]]:
    """Returns the statement with what it includes from `other`, whose own LIKE is merged already."""
    strategy, problems = _strategies(like)
    taken = [
        column
        for column in other.columns
        if isinstance(column, PhysicalColumn)
        or (isinstance(column, ComputedColumn) and strategy["GENERATED"] != "EXCLUDING")
        or (isinstance(column, MetadataColumn) and strategy["METADATA"] != "EXCLUDING")
    ]
    for column in statement.columns:
        same = next((known for known in taken if known.name.text == column.name.text), None)
        if same is None:
            continue
        feature = "GENERATED" if isinstance(column, ComputedColumn) else "METADATA"
        if type(same) is type(column) and not isinstance(column, PhysicalColumn) and strategy[feature] == "OVERWRITING":
            taken.remove(same)
            continue
        # Otherwise it would be reported as a column declared twice, with a position in the other table.
        taken.remove(same)
        problems.append(
            Problem(
                f"The column '{column.name.text}' is in '{like.table.text}' too.",
                column.name.span,
                "Remove it here: LIKE takes it over."
                if isinstance(column, PhysicalColumn)
                else f"Write LIKE {like.table.text} (OVERWRITING {feature}), or rename it.",
            )
        )
    primary_key = statement.primary_key
    if other.primary_key is not None and strategy["CONSTRAINTS"] == "INCLUDING":
        if primary_key is not None:
            problems.append(
                Problem(
                    f"The table has a PRIMARY KEY, and takes over that of '{like.table.text}'.",
                    primary_key.span,
                    f"Write LIKE {like.table.text} (EXCLUDING CONSTRAINTS).",
                )
            )
        primary_key = primary_key or other.primary_key
    watermarks = statement.watermarks
    if other.watermarks and strategy["WATERMARKS"] != "EXCLUDING":
        if watermarks and strategy["WATERMARKS"] != "OVERWRITING":
            problems.append(
                Problem(
                    f"The table has a WATERMARK, and takes over that of '{like.table.text}'.",
                    watermarks[0].span,
                    f"Write LIKE {like.table.text} (OVERWRITING WATERMARKS).",
                )
            )
        watermarks = watermarks or other.watermarks
    merged = replace(
        statement,
        columns=(*taken, *statement.columns),
        primary_key=primary_key,
        watermarks=watermarks,
        options=_merge_options(statement, other, strategy["OPTIONS"], like, problems),
        like=None,
    )
    return merged, tuple(problems)


def _strategies(like: Like) -> tuple[dict[str, str], list[Problem]]:
    strategy, problems = dict(_DEFAULT), list[Problem]()
    for verb, what in like.features:
        if what == "ALL":
            if verb == "OVERWRITING":
                problems.append(
                    Problem("LIKE has no OVERWRITING ALL.", like.span, "Write INCLUDING ALL or EXCLUDING ALL.")
                )
                continue
            strategy = dict.fromkeys(_FEATURES, verb)
    for verb, what in like.features:
        if what == "ALL":
            continue
        if what not in _FEATURES:
            problems.append(
                Problem(f"'{what}' is nothing LIKE can take over.", like.span, f"There is {', '.join(_FEATURES)}.")
            )
        elif verb == "OVERWRITING" and what not in _MAY_OVERWRITE:
            problems.append(
                Problem(f"LIKE has no OVERWRITING {what}.", like.span, f"Write INCLUDING {what} or EXCLUDING {what}.")
            )
        else:
            strategy[what] = verb
    return strategy, problems


def _merge_options(
    statement: CreateTable, other: CreateTable, verb: str, like: Like, problems: list[Problem]
) -> tuple[OptionEntry, ...]:
    if verb == "EXCLUDING":
        return statement.options
    own = {entry.key.value: entry for entry in statement.options}
    if verb == "INCLUDING":
        for entry in other.options:
            if entry.key.value in own:
                problems.append(
                    Problem(
                        f"'{entry.key.value}' is an option of '{like.table.text}' too.",
                        own[entry.key.value].key.span,
                        f"Write LIKE {like.table.text} (OVERWRITING OPTIONS) to set it anew.",
                    )
                )
    return (*statement.options, *(entry for entry in other.options if entry.key.value not in own))
