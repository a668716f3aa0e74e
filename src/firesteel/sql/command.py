"""Reads every kind of statement, chosen by its first word.

The parser is a chain of classes, each a subclass of the one before and each for one layer of the language: `Cursor`
(tokens), `TypeParser` (types), `CallParser` (calls), `SpecialFormParser` (CASE, CAST, …), `ExpressionParser` (operators),
`FromParser` (FROM), `QueryParser` (SELECT), `CreateParser` (CREATE) and `StatementParser`.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import Span
from firesteel.sql.create import CreateParser
from firesteel.sql.statement import (
    Client,
    Describe,
    Drop,
    Explain,
    Insert,
    Name,
    OptionEntry,
    Query,
    Reset,
    Set,
    Show,
    Statement,
    Text,
    Use,
)
from firesteel.sql.token import Kind

_DROP_KINDS = ("TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG")
_SHOW_LISTS = ("TABLES", "VIEWS", "FUNCTIONS", "DATABASES", "CATALOGS")
_EXPLAIN_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")

#: Statements of Flink that have no counterpart here, and what to do instead.
_REFUSED: dict[str, str | None] = {
    "ADD": "No Java runs here: write functions in Python, CREATE FUNCTION … LANGUAGE PYTHON.",
    "REMOVE": None,
    "ALTER": "Change the CREATE statement itself.",
    "ANALYZE": None,
    "CALL": None,
    "COMPILE": None,
    "DELETE": "Write INSERT INTO a table with a primary key.",
    "LOAD": None,
    "MERGE": "Write INSERT INTO a table with a primary key.",
    "RELOAD": None,
    "STOP": "Stop the job from where it was started.",
    "TRUNCATE": None,
    "UNLOAD": None,
    "UPDATE": "Write INSERT INTO a table with a primary key.",
    "UPSERT": "Write INSERT INTO a table with a primary key.",
}


class StatementParser(CreateParser):
    """Reads one statement up to its END."""

    def statement(self) -> Statement:
        statement = self._statement()
        self.finish()
        return statement

    def finish(self) -> None:
        if not self.at_end():
            starts = self.token.key in _STATEMENTS or self.token.key == "END"
            self.fail("the end of the statement", "Write ; before it." if starts else None)

    def _statement(self) -> Statement:
        token = self.token
        if self.tried is not None:
            self.tried.setdefault(self.index, set()).update((*_STATEMENTS, *_REFUSED))
        read = _STATEMENTS.get(token.key)
        if read is not None:
            return read(self)
        if token.key == "(":
            return self._query_statement()
        if token.key in _REFUSED and self.peek().kind is Kind.WORD:
            words = f"{token.value} {self.peek().value}" if token.key in ("ADD", "REMOVE") else token.value
            self.refuse(f"'{words}' is a statement that is not supported.", token.span, _REFUSED[token.key])
        if token.key == "END":
            self.refuse("'END' closes no statement set.", token.span, "Write EXECUTE STATEMENT SET BEGIN before it.")
        self.refuse(f"{self.named(token)} is not a statement.", token.span)

    # --- queries and inserts ------------------------------------------------------------------------------------------

    def _query_statement(self) -> Query:
        start = self.token
        query = self.query()
        return Query(self.span_from(start), query)

    def insert(self) -> Insert:
        start = self.expect("INSERT")
        overwrite = self.accept("INTO", "OVERWRITE")
        if overwrite is None:
            self.fail("INTO")
        self.accept("TABLE")
        target = self.path("a table")
        hints: tuple[OptionEntry, ...] = self.option_hints() if self.at("/*+") else ()
        partition = self.token
        if self.accept("PARTITION"):
            self.refuse("'PARTITION' has no meaning for a Kafka table.", partition.span, "Leave it out.")
        columns: list[Name] = []
        if self.at("(") and self.peek().key not in ("SELECT", "WITH", "VALUES", "("):
            columns = self.wrapped_list_of(lambda: self.path("a column name"))
        if not self.at("SELECT", "VALUES", "WITH", "("):
            self.fail("SELECT or VALUES")
        query = self.query()
        on_conflict = self._on_conflict()
        return Insert(
            self.span_from(start),
            target,
            query,
            tuple(columns),
            overwrite=overwrite.key == "OVERWRITE",
            hints=hints,
            on_conflict=on_conflict,
        )

    def _on_conflict(self) -> Name | None:
        if not self.accept("ON"):
            return None
        self.expect_sequence("CONFLICT", "DO")
        action = self.accept("ERROR", "NOTHING", "DEDUPLICATE")
        if action is None:
            self.fail("ERROR, NOTHING or DEDUPLICATE")
        return Name(action.key, action.span, (action.key,))

    def _execute(self) -> Statement:
        """Read `EXECUTE INSERT …` and `EXECUTE SELECT …`. `sql/script.py` puts statement sets together."""
        self.expect("EXECUTE")
        if self.at("INSERT"):
            return self.insert()
        if self.at("SELECT", "WITH", "VALUES"):
            return self._query_statement()
        if self.accept_sequence("STATEMENT", "SET"):
            self.fail("BEGIN")
        self.fail("STATEMENT SET, INSERT or SELECT")

    def _explain(self) -> Explain:
        start = self.expect("EXPLAIN")
        self.explain_details()
        statement: Insert | Query
        if self.at("INSERT"):
            statement = self.insert()
        elif self.at("SELECT", "WITH", "VALUES", "("):
            statement = self._query_statement()
        elif self.accept_sequence("STATEMENT", "SET"):
            self.fail("BEGIN")
        else:
            self.fail("INSERT, SELECT or STATEMENT SET")
        return Explain(self.span_from(start), statement)

    def explain_details(self) -> None:
        """Read `PLAN FOR` or a list of details, all of which are always shown."""
        if self.accept_sequence("PLAN", "FOR"):
            return
        if self.accept(*_EXPLAIN_DETAILS):
            while self.accept(","):
                if not self.accept(*_EXPLAIN_DETAILS):
                    self.fail("a detail such as CHANGELOG_MODE")

    # --- settings -----------------------------------------------------------------------------------------------------

    def _set(self) -> Set:
        start = self.expect("SET")
        if self.at_end():
            return Set(start.span)
        key = self._setting_key("=")
        if not self.accept("="):
            self.fail("'='", "Write SET 'key' = 'value'.")
        if self.at("="):
            self.fail("a value", "Write SET 'key' = 'value'.")
        value = self._raw_text("", "a value")
        return Set(self.span_from(start), key, value)

    def _reset(self) -> Reset:
        start = self.expect("RESET")
        if self.at_end():
            return Reset(start.span)
        key = self._setting_key("")
        return Reset(self.span_from(start), key)

    def _setting_key(self, stop: str) -> Text:
        key = self._raw_text(stop, "a key")
        if any(character.isspace() for character in key.value):
            self.refuse(f"'{key.value[:40]}' is no key of a setting.", key.span, "Write the key in single quotes.")
        return key

    def _raw_text(self, stop: str, what: str) -> Text:
        """Read a text in quotes, or everything up to the symbol as it is written."""
        first = self.token
        if first.kind is Kind.STRING:
            self.advance()
            return Text(first.value, first.span)
        while not self.at_end() and (not stop or self.token.key != stop):
            if self.token.kind in (Kind.STRING, Kind.QUOTED):
                self.fail("the end of the statement")
            self.advance()
        if first is self.token:
            self.fail(what)
        span = Span(first.start, self.previous.end)
        return Text(self.text[span.start : span.end], span)

    # --- DROP, SHOW, DESCRIBE, USE -----------------------------------------------------------------------------------------

    def _drop(self) -> Drop:
        start = self.expect("DROP")
        if self.accept("TEMPORARY"):
            self.accept("SYSTEM")
        kind = self.accept(*_DROP_KINDS)
        if kind is None:
            self.fail("TABLE, VIEW or FUNCTION")
        if_exists = self.accept_sequence("IF", "EXISTS")
        name = self.path(f"the name of the {kind.key.lower()}")
        if kind.key == "DATABASE":
            self.accept("RESTRICT", "CASCADE")
        return Drop(self.span_from(start), kind.key, name, if_exists)

    def _show(self) -> Show:
        start = self.expect("SHOW")
        if self.accept("CREATE"):
            kind = self.accept("TABLE", "VIEW")
            if kind is None:
                self.fail("TABLE or VIEW")
            name = self.path("a table")
            return Show(self.span_from(start), f"CREATE {kind.key}", name)
        if self.accept("COLUMNS"):
            if not self.accept("FROM", "IN"):
                self.fail("FROM")
            name = self.path("a table")
            self._refuse_like()
            return Show(self.span_from(start), "COLUMNS", name)
        self.accept("USER")
        what = self.accept(*_SHOW_LISTS)
        if what is None:
            self.fail("TABLES, VIEWS, FUNCTIONS, COLUMNS, DATABASES, CATALOGS or CREATE TABLE")
        database = self.path("a database") if self.accept("FROM", "IN") else None
        self._refuse_like()
        return Show(self.span_from(start), what.key, database)

    def _refuse_like(self) -> None:
        if self.at("LIKE", "ILIKE", "NOT"):
            self.refuse(f"'{self.token.value}' is not supported in SHOW.", self.token.span, "Leave it out.")

    def _describe(self) -> Describe:
        start = self.advance()
        self.accept("EXTENDED")
        name = self.path("a table")
        return Describe(self.span_from(start), name)

    def _client(self) -> Client:
        token = self.advance()
        return Client(token.span, token.key)

    def _use(self) -> Use:
        start = self.expect("USE")
        if self.at("MODULES"):
            self.refuse("'USE MODULES' is not supported.", self.token.span)
        catalog = self.accept("CATALOG") is not None
        name = self.path("a catalog" if catalog else "a database")
        return Use(self.span_from(start), name, catalog)


_STATEMENTS: dict[str, Callable[[StatementParser], Statement]] = {
    "CREATE": StatementParser.create,
    "INSERT": StatementParser.insert,
    "SELECT": StatementParser._query_statement,
    "WITH": StatementParser._query_statement,
    "VALUES": StatementParser._query_statement,
    "EXECUTE": StatementParser._execute,
    "EXPLAIN": StatementParser._explain,
    "SET": StatementParser._set,
    "RESET": StatementParser._reset,
    "DROP": StatementParser._drop,
    "SHOW": StatementParser._show,
    "DESCRIBE": StatementParser._describe,
    "DESC": StatementParser._describe,
    "USE": StatementParser._use,
    **dict.fromkeys(("QUIT", "EXIT", "CLEAR", "HELP"), StatementParser._client),
}
