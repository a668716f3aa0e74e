"""Analyzes a script: the plans of its INSERTs, and all its mistakes at once, without a JVM or a broker.

>>> analysis = analyze(Source("job.sql", "INSERT INTO t SELECT a FROM s;"))
>>> [problem.message for problem in analysis.problems]
["'s' is not a table."]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from sqlglot import exp

from firesteel.catalog.catalog import Catalog, declare
from firesteel.catalog.table import Computed, Table
from firesteel.catalog.with_clause.redaction import redact
from firesteel.connectors.builtin import vocabulary
from firesteel.errors import Problem, ScriptError, Severity, Source, Span, locate_problems
from firesteel.options.option import Option
from firesteel.options.secret import mask
from firesteel.options.setting import STATE_TTL
from firesteel.options.spark_setting import refuse_setting
from firesteel.plan.check.advice import advise
from firesteel.plan.check.setting import check_settings
from firesteel.plan.check.support import check_support
from firesteel.plan.function.python import PythonModules, bind_functions, load_function
from firesteel.plan.node.relation import Sink
from firesteel.plan.resolve.insert import resolve_insert
from firesteel.plan.resolve.known import Hidden, Known
from firesteel.plan.resolve.mistake import Mistake
from firesteel.plan.resolve.query import QueryResolver
from firesteel.plan.resolve.table import resolve_table, resolve_watermark
from firesteel.plan.resolve.unused import note_used, spare_unused
from firesteel.plan.rewrite.expire_state import expire_state
from firesteel.plan.rewrite.passes import TRIMMING, rewrite
from firesteel.sql.script import parse_script
from firesteel.sql.statement import (
    Client,
    ComputedColumn,
    CreateFunction,
    CreateTable,
    CreateView,
    Drop,
    Explain,
    Insert,
    Query,
    Refused,
    Set,
    Statement,
    StatementSet,
    Text,
    Use,
)

T = TypeVar("T")

#: Python's recursion limit. A query of WITH takes about ten calls, and its nodes some more in each pass.
_DEEPEST = 20_000


@dataclass(frozen=True)
class Analysis:
    """`sinks` are the plans of a script without mistakes, one for each INSERT, in the script's order."""

    source: Source
    catalog: Catalog
    sinks: tuple[Sink, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.is_error)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity is Severity.WARNING)

    def setting(self, option: Option[T]) -> T | None:
        value = self.catalog.settings.get(option.key, option.default)
        return value  # type: ignore[return-value]  # the catalog keeps what option.kind.parse gave

    def raise_errors(self) -> None:
        if self.errors:
            raise ScriptError(self.errors, self.source)


def analyze(
    source: Source, settings: Mapping[str, str] | None = None, modules: PythonModules | None = None
) -> Analysis:
    """Analyzes a script. `settings` count as SETs at its beginning; `modules` says which Python modules it may use."""
    script, problems = parse_script(source)
    known = Known(modules)
    for key, value in (settings or {}).items():
        nowhere = Span(0, 0)
        known.catalog, found = declare(Set(nowhere, Text(key, nowhere), Text(value, nowhere)), known.catalog)
        # These settings have no position in the script.
        known.report(*(replace(problem, span=None) for problem in found))
    known.report(*problems)
    for refused in script.refused:
        known.refuse(refused)
    sinks: list[Sink] = []
    statements = _until_quit(script.statements, known)
    inserts = tuple(_written_inserts(statements))
    known.runs = bool(inserts)
    # A long chain of views makes a deep plan; the limits on chains and nesting keep it far below this.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEEPEST))
    for statement in statements:
        try:
            sinks += _statement(statement, known, modules or PythonModules())
        except RecursionError:
            known.report(Problem("This statement is nested too deeply.", statement.span, "Split the statement."))
    known.report(*advise(tuple(sinks), known.catalog.settings))
    known.report(*check_settings(tuple(sinks), known.catalog.settings))
    found = known.problems
    if inserts and not any(problem.is_error for problem in problems):
        found = spare_unused(found, known)
    ordered = sorted(found, key=lambda problem: problem.span.start if problem.span else 0)
    # From here on the script's text is only shown, so its secrets are removed here.
    names = {*_names(known.catalog), *vocabulary()}
    redacted = redact(source.text, names)
    known.catalog = replace(known.catalog, secrets=known.catalog.secrets - names)
    secrets = {*known.catalog.secrets, *redacted.secrets}
    shown = tuple(_masked(problem, secrets) for problem in ordered)
    text = Source(source.name, redacted.text)
    return Analysis(text, known.catalog, tuple(sinks), locate_problems(shown, text))


def _until_quit(statements: tuple[Statement, ...], known: Known) -> tuple[Statement, ...]:
    """Returns the statements before QUIT or EXIT, as a SQL client would run them."""
    for number, statement in enumerate(statements, start=1):
        if isinstance(statement, Client) and statement.ends:
            if number < len(statements):
                known.report(
                    Problem(
                        f"'{statement.word}' ends the script: what stands behind it is not run.",
                        statement.span,
                        "Remove it, or what stands behind it.",
                        Severity.WARNING,
                    )
                )
            return statements[: number - 1]
    return statements


def _written_inserts(statements: Iterable[Statement]) -> Iterator[Insert]:
    for statement in statements:
        match statement:
            case Insert():
                yield statement
            case StatementSet(inserts=inserts) | Explain(statement=StatementSet(inserts=inserts)):
                yield from inserts
            case Explain(statement=Insert() as inner):
                yield inner


#: Options whose values are names, such as a topic.
_SHOWN = frozenset({"connector", "connector.type", "format", "format.type", "key.format", "value.format", "topic"})


def _names(catalog: Catalog) -> Iterator[str]:
    """Finds the script's own names. A secret equal to one of them is not masked: hiding the name would reveal the secret."""
    for key in (*catalog.tables, *catalog.views):
        yield from (key, *key.split("."))
    for table in catalog.tables.values():
        yield from (column.name for column in table.columns)
    for definition in catalog.definitions.values():
        for entry in definition.options:
            if entry.key.value in _SHOWN:
                yield from (entry.value.value, *entry.value.value.split("-"))


#: Longer messages are cut in the middle: a script can hold a name of a megabyte.
_LONGEST = 600


def _masked(problem: Problem, secrets: set[str]) -> Problem:
    hint = _cut(mask(problem.hint, secrets)) if problem.hint else problem.hint
    return replace(problem, message=_cut(mask(problem.message, secrets)), hint=hint)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:200]}…{text[-200:]}"


def _statement(statement: Statement, known: Known, modules: PythonModules) -> list[Sink]:
    if isinstance(statement, Set) and (refusal := _refuse_set(statement)) is not None:
        known.report(refusal)
        return []
    _bind(statement, known)
    if known.is_refused(statement):
        return []
    known.catalog, problems = declare(statement, known.catalog)
    known.report(*problems)
    if isinstance(statement, CreateTable):
        known.declared.setdefault(known.catalog.key(statement.name), set()).update(problems)
    match statement:
        case CreateFunction(language=language) if language.upper() == "PYTHON":
            function, problems = load_function(statement, modules)
            known.functions[statement.name.text.lower()] = function
            known.report(*problems)
        case CreateFunction():
            known.refuse(Refused("FUNCTION", statement.name))
        case Drop() | Use():
            # From here on a name can mean another table, also within a view.
            known.views.clear()
        case CreateTable():
            _check_table(statement, known)
        case CreateView():
            _check_view(statement, known)
        case Insert():
            return _inserts((statement,), known)
        case StatementSet(inserts=inserts):
            return _inserts(inserts, known)
        case Query():
            _check_query(statement, known)
        case Explain(statement=Query() as inner):
            _check_query(inner, known)
        case Explain(statement=Insert() as inner):
            _inserts((inner,), known)
        case Explain(statement=StatementSet(inserts=inserts)):
            _inserts(inserts, known)
    return []


def _refuse_set(statement: Set) -> Problem | None:
    """Refuses settings that only the operator may set, not the script."""
    key, value = statement.key, statement.value
    return None if key is None or value is None else refuse_setting(key.value, value.value, key.span, value.span)


def _bind(statement: Statement, known: Known) -> None:
    """Binds each call in the statement to the script's function of that name."""
    functions = {
        name: function
        for name, function in known.functions.items()
        if name in known.catalog.functions or function.is_refused
    }
    trees: list[exp.Expr] = []
    match statement:
        case CreateTable(columns=columns, watermarks=watermarks):
            trees = [column.expression for column in columns if isinstance(column, ComputedColumn)]
            trees += [watermark.expression for watermark in watermarks]
        case CreateView(query=query) | Query(query=query) | Insert(query=query):
            trees = [query]
        case StatementSet(inserts=inserts):
            trees = [insert.query for insert in inserts]
        case Explain(statement=inner):
            _bind(inner, known)
    for tree in trees:
        bind_functions(tree, functions)


def _inserts(inserts: tuple[Insert, ...], known: Known) -> list[Sink]:
    sinks = []
    for insert in inserts:
        note_used(insert, known)
        sink = resolve_insert(insert, known)
        if sink is not None:
            sink = rewrite(_expiring(sink, known), TRIMMING)
            known.report(*check_support(sink))
            sinks.append(sink)
    return sinks


def _expiring(sink: Sink, known: Known) -> Sink:
    """Gives the plan's state the time to live of the job."""
    ttl = known.catalog.settings.get(STATE_TTL.key)
    kept = expire_state(sink, ttl // timedelta(milliseconds=1) if isinstance(ttl, timedelta) else 0)
    assert isinstance(kept, Sink)
    return kept


def _check_table(statement: CreateTable, known: Known) -> None:
    """Checks computed columns and the watermark, also of a table that no query reads."""
    table = known.catalog.table(statement.name)
    if table is None or not table.sound:
        known.broken.add(known.catalog.key(statement.name))
        return
    if not _has_expressions(table):
        return
    try:
        relation = resolve_table(table, table.name, table.span)
        resolve_watermark(table, relation)
    except Mistake as mistake:
        known.report(mistake.problem)
        known.declared[known.catalog.key(statement.name)].add(mistake.problem)
        known.broken.add(known.catalog.key(statement.name))


def _has_expressions(table: Table) -> bool:
    return table.watermark is not None or any(isinstance(column, Computed) for column in table.columns)


def _check_view(statement: CreateView, known: Known) -> None:
    try:
        QueryResolver(known).resolve_view(statement)
    except Mistake as mistake:
        known.report(mistake.problem)
    except Hidden:
        pass
    else:
        return
    known.broken.add(known.catalog.key(statement.name))


def _check_query(statement: Query, known: Known) -> None:
    try:
        QueryResolver(known).resolve(statement.query)
    except Mistake as mistake:
        known.report(mistake.problem)
    except Hidden:
        return
    why = "so it does nothing in a job" if known.runs else "and the script has no INSERT INTO: there is nothing to run"
    known.report(
        Problem(
            f"This SELECT writes nowhere, {why}.",
            statement.span,
            "Write INSERT INTO a table before it.",
            Severity.WARNING,
        )
    )
