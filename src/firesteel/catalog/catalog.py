"""Holds what a script has declared so far: tables, views, functions, settings.

A catalog is immutable: each declaring statement returns a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from firesteel.catalog.like import merge_like
from firesteel.catalog.resolve import resolve_definition, with_hints
from firesteel.catalog.table import Table
from firesteel.errors import Problem
from firesteel.options.script_setting import resolve_setting
from firesteel.options.setting import canonical_setting
from firesteel.options.spark_setting import may_script_set
from firesteel.options.spelling import nearest
from firesteel.sql.statement import (
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
    Name,
    OptionEntry,
    Reset,
    Set,
    Statement,
    Use,
)

V = TypeVar("V")

DEFAULT_PATH = ("default_catalog", "default_database")


@dataclass(frozen=True)
class Catalog:
    """The declarations. Names are keys without Flink's default catalog and database; functions are keyed in lower case.

    `definitions` are the statements of the tables, with LIKE merged: hints and other LIKEs start from them. `secrets`
    are the values that no output may show.
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    views: Mapping[str, CreateView] = field(default_factory=dict)
    functions: Mapping[str, CreateFunction] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    definitions: Mapping[str, CreateTable] = field(default_factory=dict)
    secrets: frozenset[str] = frozenset()
    current: tuple[str, ...] = ()

    def key(self, name: Name) -> str:
        """Returns a name as the mappings are keyed.

        >>> from firesteel.errors import Span
        >>> Catalog().key(Name("t", Span(0, 1), ("default_catalog", "default_database", "t")))
        't'
        """
        path = name.path or (name.text,)
        if len(path) == 1:
            path = (*self.current, *path)
        for default in DEFAULT_PATH:
            if len(path) > 1 and path[0] == default:
                path = path[1:]
        return ".".join(path)

    def table(self, name: Name) -> Table | None:
        return self.tables.get(self.key(name))

    def view(self, name: Name) -> CreateView | None:
        return self.views.get(self.key(name))

    def function(self, name: str) -> CreateFunction | None:
        return self.functions.get(name.lower())

    def suggest(self, name: Name) -> str:
        """Suggests what to write instead of an unknown table name."""
        known = [self._shown(key) for key in (*self.tables, *self.views)]
        close = next((key for key in known if key.rpartition(".")[2] == name.text), None)
        close = close or nearest(self.key(name), known, 0.6)
        if close:
            return f"Write '{close}'."
        return f"The tables are {', '.join(known)}." if known else "Add a CREATE TABLE before this statement."

    def _shown(self, key: str) -> str:
        """Returns a key as a query has to write it here."""
        return f"{DEFAULT_PATH[1]}.{key}" if self.current and "." not in key else key

    def hinted(
        self, name: Name, hints: tuple[OptionEntry, ...], environment: Mapping[str, str] | None = None
    ) -> tuple[Table | None, tuple[Problem, ...]]:
        """Returns the table as a query with an OPTIONS hint sees it, and the problems of the hint."""
        definition = self.definitions.get(self.key(name))
        if definition is None or not hints:
            return self.table(name), ()
        before = resolve_definition(definition, environment)[2]
        table, _, problems = resolve_definition(with_hints(definition, hints), environment)
        return table, tuple(problem for problem in problems if problem not in before)


def resolve_table(
    statement: CreateTable, catalog: Catalog, environment: Mapping[str, str] | None = None
) -> tuple[Table | None, tuple[Problem, ...]]:
    """Resolves the table of a CREATE TABLE. Returns None if LIKE names an unknown table."""
    definition, problems = resolve_like(statement, catalog)
    if definition is None:
        return None, problems
    table, _, more = resolve_definition(definition, environment)
    return table, (*problems, *more)


def resolve_like(statement: CreateTable, catalog: Catalog) -> tuple[CreateTable | None, tuple[Problem, ...]]:
    if statement.like is None:
        return statement, ()
    other = catalog.definitions.get(catalog.key(statement.like.table))
    if other is None:
        name = statement.like.table
        return None, (Problem(f"'{name.written}' after LIKE is not a table.", name.span, catalog.suggest(name)),)
    return merge_like(statement, other, statement.like)


def declare(
    statement: Statement, catalog: Catalog, environment: Mapping[str, str] | None = None
) -> tuple[Catalog, tuple[Problem, ...]]:
    """Returns the catalog after a statement, which is the same one if the statement declares nothing."""
    match statement:
        case CreateTable():
            return _declare_table(statement, catalog, environment)
        case CreateView():
            return _declare_view(statement, catalog)
        case CreateFunction():
            return _declare_function(statement, catalog)
        case Set():
            return _set(statement, catalog)
        case Reset():
            key = canonical_setting(statement.key.value) if statement.key else None
            gone = {name for name in catalog.settings if key in (None, name) and may_script_set(name)}
            kept = {name: value for name, value in catalog.settings.items() if name not in gone}
            return replace(catalog, settings=kept), ()
        case Drop():
            return _drop(statement, catalog)
        case Use():
            path = statement.name.path or (statement.name.text,)
            if statement.catalog and path != DEFAULT_PATH[:1]:
                problem = Problem(
                    f"There is no catalog '{statement.name.written}': '{DEFAULT_PATH[0]}' is the only one.",
                    statement.name.span,
                    "Remove USE CATALOG, and CREATE the tables in this script.",
                )
                return catalog, (problem,)
            return replace(catalog, current=() if set(path) <= set(DEFAULT_PATH) else path), ()
    return catalog, ()


def _taken(name: Name, catalog: Catalog, if_not_exists: bool) -> tuple[bool, tuple[Problem, ...]]:
    key = catalog.key(name)
    if key not in catalog.tables and key not in catalog.views:
        return False, ()
    kind = "table" if key in catalog.tables else "view"
    problem = Problem(
        f"There is a {kind} '{name.written}' already.", name.span, "Rename one of them, or DROP it first."
    )
    return True, () if if_not_exists else (problem,)


def _declare_table(
    statement: CreateTable, catalog: Catalog, environment: Mapping[str, str] | None
) -> tuple[Catalog, tuple[Problem, ...]]:
    taken, problems = _taken(statement.name, catalog, statement.if_not_exists)
    if taken:
        return catalog, problems
    definition, problems = resolve_like(statement, catalog)
    if definition is None:
        return catalog, problems
    table, secrets, more = resolve_definition(definition, environment)
    key = catalog.key(statement.name)
    changed = replace(
        catalog,
        tables={**catalog.tables, key: table},
        definitions={**catalog.definitions, key: definition},
        secrets=catalog.secrets | secrets,
    )
    return changed, (*problems, *more)


def _declare_view(statement: CreateView, catalog: Catalog) -> tuple[Catalog, tuple[Problem, ...]]:
    taken, problems = _taken(statement.name, catalog, statement.if_not_exists)
    if taken:
        return catalog, problems
    return replace(catalog, views={**catalog.views, catalog.key(statement.name): statement}), ()


def _declare_function(statement: CreateFunction, catalog: Catalog) -> tuple[Catalog, tuple[Problem, ...]]:
    key = statement.name.text.lower()
    if key in catalog.functions:
        problem = Problem(f"There is a function '{statement.name.text}' already.", statement.name.span, "Rename it.")
        return catalog, () if statement.if_not_exists else (problem,)
    if statement.language.upper() != "PYTHON":
        return catalog, (
            Problem(
                f"The function '{statement.name.text}' is in {statement.language.upper()}, and functions are Python.",
                statement.span,
                f"Write CREATE FUNCTION {statement.name.text} AS 'module.function' LANGUAGE PYTHON.",
            ),
        )
    return replace(catalog, functions={**catalog.functions, key: statement}), ()


def _set(statement: Set, catalog: Catalog) -> tuple[Catalog, tuple[Problem, ...]]:
    if statement.key is None or statement.value is None:
        return catalog, ()
    key = statement.key.value
    value, problems = resolve_setting(key, statement.value.value, statement.key.span, statement.value.span)
    if any(problem.is_error for problem in problems):
        return catalog, problems
    return replace(catalog, settings={**catalog.settings, canonical_setting(key): value}), problems


def _drop(statement: Drop, catalog: Catalog) -> tuple[Catalog, tuple[Problem, ...]]:
    key = catalog.key(statement.name)
    match statement.kind.upper():
        case "TABLE":
            known: Iterable[str] = catalog.tables
            tables, definitions = _without(catalog.tables, key), _without(catalog.definitions, key)
            changed = replace(catalog, tables=tables, definitions=definitions)
        case "VIEW":
            known, changed = catalog.views, replace(catalog, views=_without(catalog.views, key))
        case "FUNCTION":
            key = statement.name.text.lower()
            known, changed = catalog.functions, replace(catalog, functions=_without(catalog.functions, key))
        case _:
            return catalog, ()
    if key in known:
        return changed, ()
    problem = Problem(
        f"There is no {statement.kind.lower()} '{statement.name.written}' to drop.",
        statement.name.span,
        f"Write DROP {statement.kind.upper()} IF EXISTS, or remove the statement.",
    )
    return catalog, () if statement.if_exists else (problem,)


def _without(mapping: Mapping[str, V], key: str) -> dict[str, V]:
    return {name: value for name, value in mapping.items() if name != key}
