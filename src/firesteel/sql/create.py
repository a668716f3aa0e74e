"""Reads CREATE TABLE, CREATE VIEW and CREATE FUNCTION."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import Span
from firesteel.sql.query import QueryParser
from firesteel.sql.statement import (
    ColumnDefinition,
    ComputedColumn,
    CreateFunction,
    CreateTable,
    CreateView,
    Distribution,
    Like,
    MetadataColumn,
    Name,
    OptionEntry,
    PhysicalColumn,
    PrimaryKey,
    Watermark,
)
from firesteel.sql.token import Kind, Token

_KINDS = ("TABLE", "VIEW", "FUNCTION")

#: Kinds of objects that Flink can create and Firesteel cannot, and what to do instead.
_REFUSED = {
    "CATALOG": "Name tables directly: there is one catalog.",
    "DATABASE": "Name tables directly: there is one database.",
    "MODEL": None,
    "CONNECTION": None,
    "MATERIALIZED": "Write CREATE TABLE and INSERT INTO.",
    # Huawei DLI's older language.
    "SOURCE": "Write CREATE TABLE … WITH ('connector' = 'kafka', …) and read it.",
    "SINK": "Write CREATE TABLE … WITH ('connector' = 'kafka', …) and INSERT INTO it.",
}

_LIKE_VERBS = ("INCLUDING", "EXCLUDING", "OVERWRITING")
_LIKE_FEATURES = ("ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")


@dataclass
class _Body:
    """The parts of a CREATE TABLE's parentheses that have been read so far."""

    columns: list[ColumnDefinition] = field(default_factory=list)
    primary_key: PrimaryKey | None = None
    watermarks: list[Watermark] = field(default_factory=list)


class CreateParser(QueryParser):
    def create(self) -> CreateTable | CreateView | CreateFunction:
        start = self.expect("CREATE")
        replace = self.token
        if self.accept_sequence("OR", "REPLACE") or self.accept_sequence("OR", "ALTER"):
            self.note(
                f"'{self.raw(replace)} {self.previous.value}' is not supported.",
                self.span_from(replace),
                "Write CREATE, and DROP before it where needed.",
            )
        temporary = self.accept("TEMPORARY") is not None
        system = self.accept("SYSTEM") if temporary else None
        kind = self.accept(*(("FUNCTION",) if system else _KINDS))
        if kind is None:
            if self.token.key in _REFUSED:
                self.refuse(
                    f"'CREATE {self.token.key}' is not supported.", self.span_from(start), _REFUSED[self.token.key]
                )
            self.fail("FUNCTION" if system else "TABLE, VIEW or FUNCTION")
        if_not_exists = self.accept_sequence("IF", "NOT", "EXISTS")
        name = self.path(f"the name of the {kind.key.lower()}")
        if kind.key == "TABLE":
            return self._create_table(start, name, temporary=temporary, if_not_exists=if_not_exists)
        if kind.key == "VIEW":
            return self._create_view(start, name, temporary=temporary, if_not_exists=if_not_exists)
        return self._create_function(start, name, temporary=temporary, if_not_exists=if_not_exists)

    # --- CREATE TABLE -----------------------------------------------------------------------------------------------

    def _create_table(self, start: Token, name: Name, *, temporary: bool, if_not_exists: bool) -> CreateTable:
        body = _Body()
        if self.accept("("):
            self._table_element(body)
            while self.accept(","):
                self._table_element(body)
            self.close(")")
        comment = self._comment()
        distributed = self._distributed()
        partitioned = self._partitioned()
        distributed = distributed or self._distributed()
        options: tuple[OptionEntry, ...] = ()
        if self.accept("WITH"):
            options = tuple(self.wrapped_list_of(self.option_entry))
        like = self._like() if self.at("LIKE") else None
        as_ = self.token
        if self.accept("AS"):
            self.refuse(
                "'AS' of CREATE TABLE AS is not supported.",
                as_.span,
                "Write the columns in CREATE TABLE, and the query in INSERT INTO.",
            )
        return CreateTable(
            span=self.span_from(start),
            name=name,
            columns=tuple(body.columns),
            options=options,
            primary_key=body.primary_key,
            watermarks=tuple(body.watermarks),
            comment=comment,
            like=like,
            temporary=temporary,
            if_not_exists=if_not_exists,
            partitioned=partitioned,
            distributed=distributed,
        )

    def _partitioned(self) -> Name | None:
        start = self.token
        if not self.accept("PARTITIONED"):
            return None
        self.expect("BY")
        self.wrapped_list_of(lambda: self.name("a column name"))
        return Name(start.value, start.span, (start.value,))

    def _distributed(self) -> Distribution | None:
        start = self.token
        if not self.accept("DISTRIBUTED"):
            return None
        columns: list[Name] = []
        if self.accept("BY"):
            self.accept("HASH", "RANGE")
            columns = self.wrapped_list_of(lambda: self.name("a column name"))
        if self.accept("INTO"):
            self._count()
            self.expect("BUCKETS")
        return Distribution(tuple(columns), self.span_from(start))

    def _table_element(self, body: _Body) -> None:
        if self.at("WATERMARK"):
            body.watermarks.append(self._watermark())
        elif self.at("CONSTRAINT") or self.at_sequence("PRIMARY", "KEY"):
            self._keep_primary_key(body, self._table_primary_key())
        elif self.at("UNIQUE", "FOREIGN", "CHECK"):
            self.refuse(
                f"'{self.token.value}' is a constraint that is not supported.",
                self.token.span,
                "PRIMARY KEY … NOT ENFORCED is the only one.",
            )
        else:
            self._column(body)

    def _keep_primary_key(self, body: _Body, key: PrimaryKey) -> None:
        if body.primary_key is None:
            body.primary_key = key
        else:
            self.note("'PRIMARY KEY' stands twice in this table.", key.span, "Name all key columns in one.")

    def _table_primary_key(self) -> PrimaryKey:
        start = self.token
        if self.accept("CONSTRAINT"):
            self.name("the name of the constraint")
        self.expect_sequence("PRIMARY", "KEY")
        columns = self.wrapped_list_of(lambda: self.name("a column name"))
        enforced = self._enforced()
        return PrimaryKey(tuple(columns), self.span_from(start), enforced)

    def _enforced(self) -> bool:
        if self.accept_sequence("NOT", "ENFORCED"):
            return False
        self.accept("ENFORCED")
        return True

    def _watermark(self) -> Watermark:
        start = self.expect("WATERMARK")
        self.expect("FOR")
        column = self.path("a column name")
        self.expect("AS")
        expression = self.expression()
        return Watermark(column, expression, self.span_from(start))

    def _column(self, body: _Body) -> None:
        name = self.name("a column name")
        if self.accept("AS"):
            expression = self.expression()
            body.columns.append(ComputedColumn(name, expression, self._comment()))
            return
        type_ = self.type()
        if self.accept("METADATA"):
            key = self.string("a metadata key in single quotes") if self.accept("FROM") else None
            virtual = self.accept("VIRTUAL") is not None
            body.columns.append(MetadataColumn(name, type_, key, virtual, self._comment()))
            return
        start = self.token
        if self.accept("CONSTRAINT"):
            self.name("the name of the constraint")
            if not self.at("PRIMARY"):
                self.fail("PRIMARY KEY")
        if self.accept("PRIMARY"):
            self.expect("KEY")
            enforced = self._enforced()
            self._keep_primary_key(body, PrimaryKey((name,), self.span_from(start), enforced))
        if self.at("DEFAULT"):
            self.refuse("'DEFAULT' is not supported.", self.token.span, "Write the value in the INSERT.")
        body.columns.append(PhysicalColumn(name, type_, self._comment()))

    def _comment(self) -> str | None:
        return self.string("the comment in single quotes").value if self.accept("COMMENT") else None

    def _like(self) -> Like:
        start = self.expect("LIKE")
        table = self.path("a table")
        features: list[tuple[str, str]] = []
        if self.accept("("):
            while not self.accept(")"):
                features.append(self._like_feature())
                # Flink's own documentation writes them with and without commas.
                if self.accept(",") and self.at(")"):
                    self.fail("INCLUDING, EXCLUDING or OVERWRITING")
        return Like(table, tuple(features), self.span_from(start))

    def _like_feature(self) -> tuple[str, str]:
        start = self.token
        verb = self.accept(*_LIKE_VERBS)
        if verb is None:
            self.fail("INCLUDING, EXCLUDING or OVERWRITING")
        what = self.accept(*_LIKE_FEATURES)
        if what is None:
            self.fail("ALL, CONSTRAINTS, GENERATED, METADATA, OPTIONS, PARTITIONS or WATERMARKS")
        if verb.key == "OVERWRITING" and what.key in ("ALL", "CONSTRAINTS", "DISTRIBUTION", "PARTITIONS"):
            self.note(
                f"'OVERWRITING {what.key}' is not allowed.",
                Span(start.start, what.end),
                f"Write INCLUDING {what.key} or EXCLUDING {what.key}.",
            )
        return verb.key, what.key

    # --- CREATE VIEW, CREATE FUNCTION -------------------------------------------------------------------------------

    def _create_view(self, start: Token, name: Name, *, temporary: bool, if_not_exists: bool) -> CreateView:
        columns: list[Name] = []
        if self.at("("):
            columns = self.wrapped_list_of(lambda: self.name("a column name"))
        self._comment()
        self.expect("AS")
        query = self.query()
        return CreateView(self.span_from(start), name, tuple(columns), query, temporary, if_not_exists)

    def _create_function(self, start: Token, name: Name, *, temporary: bool, if_not_exists: bool) -> CreateFunction:
        self.expect("AS")
        target = self.string("'module.function' in single quotes")
        language = "JAVA"
        if self.accept("LANGUAGE"):
            word = self.token
            if word.kind is not Kind.WORD:
                self.fail("PYTHON")
            language = self.advance().key
        using = self.token
        if self.accept("USING"):
            self.refuse("'USING' is not supported.", using.span, "Put the module on Python's path and leave USING out.")
        return CreateFunction(self.span_from(start), name, target, language, temporary, if_not_exists)
