"""What a statement can use at its place in the script, and where its mistakes go."""

from __future__ import annotations

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.table import Table
from firesteel.errors import Problem
from firesteel.plan.mistake import Mistake
from firesteel.plan.partitioner import check_partitioner
from firesteel.plan.python_function import PythonFunction, PythonModules
from firesteel.sql.statement import CreateView, Name, OptionEntry


class Hidden(Exception):
    """A mistake that was reported already makes this part impossible to look at."""


class Known:
    """The catalog so far, the names whose declaration failed, and the problems found, each of them once."""

    def __init__(self, modules: PythonModules | None = None) -> None:
        self.catalog = Catalog()
        #: Whose Python may be used.
        self.modules = modules or PythonModules()
        self.broken: set[str] = set()
        #: Whether the script has an INSERT.
        self.runs = True
        #: The tables and views that an INSERT needs.
        self.used: set[str] = set()
        #: What is wrong with each table however it is used.
        self.declared: dict[str, set[Problem]] = {}
        #: What the script's functions are, by their names in lower case.
        self.functions: dict[str, PythonFunction] = {}
        # In the order they were found. A dict, since a generated script can have thousands of them.
        self._problems: dict[Problem, None] = {}

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)

    def report(self, *problems: Problem) -> None:
        self._problems.update(dict.fromkeys(problems))

    def view(self, name: Name) -> CreateView | None:
        self._check(name)
        return self.catalog.view(name)

    def source(self, name: Name, hints: tuple[OptionEntry, ...] = ()) -> Table:
        table = self._table(name, hints)
        self.report(*table.problems_as_source)
        return table

    def sink(self, name: Name, hints: tuple[OptionEntry, ...] = ()) -> Table:
        if self.catalog.view(name) is not None:
            raise Mistake(f"'{name.text}' is a view and cannot be written.", name.span, "Write into a table.")
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
        if table is None:
            raise Mistake(f"'{name.text}' is not a table.", name.span, self.catalog.suggest(name))
        return table

    def _check(self, name: Name) -> None:
        if self.catalog.key(name) in self.broken:
            raise Hidden()
