"""Keeps the names that a statement can use at its position in the script, and collects its mistakes."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.catalog.catalog import DEFAULT_PATH, Catalog
from firesteel.catalog.table import Table
from firesteel.errors import Problem, Span
from firesteel.plan.function.python import PythonFunction, PythonModules, refused_function
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.partitioner import check_partitioner
from firesteel.sql.statement import CreateTable, CreateView, Drop, Name, OptionEntry, Refused, Statement, Use


class Hidden(Exception):
    """This part cannot be checked, because of a mistake that was reported already."""


@dataclass(frozen=True)
class ResolvedView:
    """A view that is resolved, the number of tables it reads, and the depth of views and queries of WITH in it."""

    relation: Relation
    tables: int
    depth: int


class Known:
    """The catalog so far, the names whose declaration failed, and the problems found, each of them once."""

    def __init__(self, modules: PythonModules | None = None) -> None:
        self.catalog = Catalog()
        #: The Python modules that the script may use.
        self.modules = modules or PythonModules()
        self.broken: set[str] = set()
        #: True if the script has an INSERT.
        self.runs = True
        #: The tables and views that an INSERT needs.
        self.used: set[str] = set()
        #: The problems of each table's declaration.
        self.declared: dict[str, set[Problem]] = {}
        #: Catalogs that do not exist here, and whether the script uses one: their tables are not known.
        self.catalogs: set[str] = set()
        self.away = False
        #: The views that have been resolved, by the positions of their names.
        self.views: dict[Span, ResolvedView] = {}
        #: The script's functions, by their names in lower case.
        self.functions: dict[str, PythonFunction] = {}
        # In the order they were found; a dict, because a generated script can have thousands of problems.
        self._problems: dict[Problem, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)

    def report(self, *problems: Problem) -> None:
        self._problems.update(dict.fromkeys(problems))

    def refuse(self, refused: Refused) -> None:
        """Keeps a name whose CREATE has a mistake: its uses are not reported."""
        match refused.kind:
            case "FUNCTION":
                self.functions[refused.name.text.lower()] = refused_function(refused.name.text)
            case "CATALOG":
                self.catalogs.add(refused.name.written)
            case _:
                self.broken.add(self.catalog.key(refused.name))

    def is_refused(self, statement: Statement) -> bool:
        """Says whether to skip the statement, because it is only about a name whose CREATE has a mistake."""
        match statement:
            case CreateTable(like=like) if like is not None and self.catalog.key(like.table) in self.broken:
                self.broken.add(self.catalog.key(statement.name))
                return True
            case CreateTable() if self._is_elsewhere(statement.name):
                # Tables of other catalogs need no connector.
                self.broken.add(self.catalog.key(statement.name))
                return True
            case Drop(kind="FUNCTION"):
                function = self.functions.get(statement.name.text.lower())
                return function is not None and function.is_refused
            case Drop():
                key = self.catalog.key(statement.name)
                return key in self.broken and self.catalog.table(statement.name) is None
            case Use(catalog=True):
                refused = statement.name.written in self.catalogs
                self.away = statement.name.written != DEFAULT_PATH[0]
                self.catalogs |= {statement.name.written} if self.away else set()
                return refused
        return False

    def _is_elsewhere(self, name: Name) -> bool:
        """Says whether the name belongs to a catalog that does not exist here."""
        return name.path[0] in self.catalogs if len(name.path) > 2 else self.away

    def view(self, name: Name) -> CreateView | None:
        self._check(name)
        return self.catalog.view(name)

    def source(self, name: Name, hints: tuple[OptionEntry, ...] = ()) -> Table:
        table = self._table(name, hints)
        self.report(*table.problems_as_source)
        return table

    def sink(self, name: Name, hints: tuple[OptionEntry, ...] = ()) -> Table:
        if self.catalog.view(name) is not None:
            raise Mistake(f"'{name.written}' is a view and cannot be written.", name.span, "Write into a table.")
        table = self._table(name, hints)
        self.report(*table.problems_as_sink)
        wrong = check_partitioner(table, self.modules)
        if wrong is not None:
            self.report(wrong)
        return table

    def _table(self, name: Name, hints: tuple[OptionEntry, ...]) -> Table:
        self._check(name)
        table, problems = self.catalog.hinted(name, hints)
        self.report(*problems)
        if table is None and self.away:
            raise Hidden()
        if table is None:
            where = f" of '{'.'.join(self.catalog.current)}'" if self.catalog.current and len(name.path) < 2 else ""
            raise Mistake(f"'{name.written}' is not a table{where}.", name.span, self.catalog.suggest(name))
        return table

    def _check(self, name: Name) -> None:
        if self.catalog.key(name) in self.broken or (len(name.path) > 2 and name.path[0] in self.catalogs):
            raise Hidden()
