from __future__ import annotations

from firesteel.errors import Source, Span
from firesteel.sql.script import parse_script
from firesteel.sql.statement import (
    ComputedColumn,
    CreateFunction,
    CreateTable,
    CreateView,
    Describe,
    Drop,
    Explain,
    Insert,
    MetadataColumn,
    PhysicalColumn,
    Query,
    Reset,
    Set,
    Show,
    Statement,
    StatementSet,
    Use,
)
from firesteel.types import STRING, BigInt, Int, TimestampLtz


def parse(sql: str) -> tuple[Statement, ...]:
    script, problems = parse_script(Source("job.sql", sql))
    assert not problems, problems
    return script.statements


def one(sql: str) -> Statement:
    statements = parse(sql)
    assert len(statements) == 1
    return statements[0]


def test_create_table_has_all_its_parts() -> None:
    sql = (
        "/* x */ create temporary table if not exists c.d.`t 1` (\n"
        "  a INT NOT NULL PRIMARY KEY NOT ENFORCED COMMENT 'the key',\n"
        "  b AS UPPER(x) COMMENT 'computed',\n"
        "  c TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL COMMENT 'm',\n"
        "  `offset` BIGINT METADATA,\n"
        "  x STRING,\n"
        "  WATERMARK FOR c.e AS c - INTERVAL '2' SECOND\n"
        ") COMMENT 'it''s' WITH ('k' = 'v''w', 'k' = 'again') LIKE u (INCLUDING ALL EXCLUDING OPTIONS);"
    )
    table = one(sql)
    assert isinstance(table, CreateTable)
    assert sql[table.span.start : table.span.end] == sql[8:-1]
    assert (table.name.text, table.name.path) == ("t 1", ("c", "d", "t 1"))
    assert sql[table.name.span.start : table.name.span.end] == "c.d.`t 1`"
    assert table.temporary and table.if_not_exists
    a, b, c, offset, x = table.columns
    assert isinstance(a, PhysicalColumn) and a.type == Int(nullable=False) and a.comment == "the key"
    assert isinstance(b, ComputedColumn) and b.comment == "computed"
    assert isinstance(c, MetadataColumn) and c.type == TimestampLtz(3) and c.virtual and c.comment == "m"
    assert c.key is not None and c.key.value == "timestamp"
    assert isinstance(offset, MetadataColumn) and offset.type == BigInt() and not offset.virtual and offset.key is None
    assert isinstance(x, PhysicalColumn) and x.type == STRING
    assert table.primary_key is not None and [column.text for column in table.primary_key.columns] == ["a"]
    assert not table.primary_key.enforced
    assert sql[table.primary_key.span.start : table.primary_key.span.end] == "PRIMARY KEY NOT ENFORCED"
    assert table.watermarks[0].column.path == ("c", "e")
    assert table.comment == "it's"
    assert [(entry.key.value, entry.value.value) for entry in table.options] == [("k", "v'w"), ("k", "again")]
    assert sql[table.options[0].value.span.start : table.options[0].value.span.end] == "'v''w'"
    assert table.like is not None and table.like.table.text == "u"
    assert table.like.features == (("INCLUDING", "ALL"), ("EXCLUDING", "OPTIONS"))


def test_a_primary_key_has_its_columns_and_whether_it_is_enforced() -> None:
    table = one("CREATE TABLE t (a INT, b INT, CONSTRAINT pk PRIMARY KEY (a, b) NOT ENFORCED)")
    assert isinstance(table, CreateTable) and table.primary_key is not None
    assert [column.text for column in table.primary_key.columns] == ["a", "b"]
    enforced = one("CREATE TABLE t (a INT, PRIMARY KEY (a))")
    assert isinstance(enforced, CreateTable) and enforced.primary_key is not None and enforced.primary_key.enforced


def test_create_view_and_function_have_their_parts() -> None:
    view = one("CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) AS SELECT 1, 2")
    assert isinstance(view, CreateView) and [column.text for column in view.columns] == ["a", "b"] and view.temporary
    function = one("CREATE TEMPORARY SYSTEM FUNCTION f AS 'module.function' LANGUAGE PYTHON")
    assert isinstance(function, CreateFunction)
    assert (function.target.value, function.language) == ("module.function", "PYTHON")
    java = one("CREATE FUNCTION f AS 'com.example.F'")
    assert isinstance(java, CreateFunction) and java.language == "JAVA"


def test_insert_has_its_target_columns_and_hints() -> None:
    insert = one(
        "INSERT OVERWRITE TABLE c.d.t /*+ OPTIONS('a' = 'b') */ (x, y.z) SELECT 1, 2 ON CONFLICT DO DEDUPLICATE"
    )
    assert isinstance(insert, Insert)
    assert insert.target.path == ("c", "d", "t") and insert.overwrite
    assert [column.path for column in insert.columns] == [("x",), ("y", "z")]
    assert insert.hints[0].key.value == "a"
    assert insert.on_conflict is not None and insert.on_conflict.text == "DEDUPLICATE"
    plain = one("INSERT INTO t (SELECT 1)")
    assert isinstance(plain, Insert) and plain.columns == () and not plain.overwrite


def test_a_statement_set_has_its_inserts() -> None:
    sql = "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END; SELECT 3"
    together, after = parse(sql)
    assert isinstance(together, StatementSet) and isinstance(after, Query)
    assert [insert.target.text for insert in together.inserts] == ["a", "b"]
    assert sql[together.span.start : together.span.end] == sql[: sql.index("END") + 3]
    older = one("begin statement set; insert into a select 1; end;")
    assert isinstance(older, StatementSet)
    explained = one("EXPLAIN CHANGELOG_MODE, ESTIMATED_COST STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;")
    assert isinstance(explained, Explain) and isinstance(explained.statement, StatementSet)


def test_set_and_reset_have_key_and_value() -> None:
    quoted = one("SET 'execution.checkpointing.interval' = '3 s';")
    assert isinstance(quoted, Set) and quoted.key is not None and quoted.value is not None
    assert (quoted.key.value, quoted.value.value) == ("execution.checkpointing.interval", "3 s")
    bare = one("set table.local-time-zone = Asia/Shanghai ;")
    assert isinstance(bare, Set) and bare.key is not None and bare.value is not None
    assert (bare.key.value, bare.value.value) == ("table.local-time-zone", "Asia/Shanghai")
    assert one("SET") == Set(Span(0, 3))
    reset = one("RESET 'a.b'")
    assert isinstance(reset, Reset) and reset.key is not None and reset.key.value == "a.b"
    assert one("RESET") == Reset(Span(0, 5))


def test_drop_show_describe_use_and_explain_are_read() -> None:
    drop = one("DROP TEMPORARY TABLE IF EXISTS c.d.t")
    assert isinstance(drop, Drop) and (drop.kind, drop.name.text, drop.if_exists) == ("TABLE", "t", True)
    shown = parse("SHOW TABLES; SHOW CREATE TABLE t; SHOW COLUMNS IN t; SHOW USER FUNCTIONS")
    assert [statement.what for statement in shown if isinstance(statement, Show)] == [
        "TABLES",
        "CREATE TABLE",
        "COLUMNS",
        "FUNCTIONS",
    ]
    assert isinstance(one("DESC EXTENDED t"), Describe)
    assert isinstance(one("USE CATALOG c"), Use)
    assert isinstance(one("EXPLAIN PLAN FOR INSERT INTO t SELECT 1"), Explain)


def test_a_script_of_nothing_has_no_statements() -> None:
    assert parse("") == parse(" ;; -- nothing\n /* at all */ ;") == parse("\ufeff") == ()


def test_findings_b3_options_may_stand_in_double_quotes() -> None:
    sql = """CREATE TABLE t (a INT) WITH ("format" = "json", "k" = 'v', 'x' = "say \\"it\\"", "y" = "a""b")"""
    table = one(sql)
    assert isinstance(table, CreateTable)
    assert [(entry.key.value, entry.value.value) for entry in table.options] == [
        ("format", "json"),
        ("k", "v"),
        ("x", 'say "it"'),
        ("y", 'a"b'),
    ]


def test_findings_b8_a_text_with_escapes_is_what_they_mean() -> None:
    sql = r"SELECT E'a\tb\n\'\x41\u00e9\U0001F600\101' FROM t"
    query = one(sql)
    assert isinstance(query, Query)
    assert query.query.expressions[0].name == "a\tb\n'Aé😀A"
    _, problems = parse_script(Source("job.sql", r"SELECT E'\ud800' FROM t"))
    assert [problem.message for problem in problems] == [r"E'\ud800' has an escape that is no character."]
