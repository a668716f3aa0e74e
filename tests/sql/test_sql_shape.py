"""The trees that the plan reads: names as written, arguments in their order, nothing rewritten."""

from __future__ import annotations

import pytest
from sqlglot import exp

from firesteel.errors import Source
from firesteel.sql.script import cast_type, parse_script, table_hints, written_name
from firesteel.sql.statement import Query
from firesteel.types import STRING, Array, Date, Decimal, Field, Int, Row, Time, Timestamp, TimestampLtz


def select(sql: str) -> exp.Select:
    script, problems = parse_script(Source("job.sql", sql))
    assert not problems, problems
    statement = script.statements[0]
    assert isinstance(statement, Query) and isinstance(statement.query, exp.Select)
    return statement.query


def expression(sql: str) -> exp.Expr:
    node = select(f"SELECT {sql} FROM t").expressions[0]
    assert isinstance(node, exp.Expr)
    return node


@pytest.mark.parametrize(
    "name",
    [
        "IF",
        "LOG",
        "SUBSTR",
        "DATE_FORMAT",
        "TO_TIMESTAMP",
        "IFNULL",
        "COALESCE",
        "UPPER",
        "CONCAT_WS",
        "LEFT",
        "MOD",
        "MY_F",
    ],
)
def test_functions_keep_name_and_arguments(name: str) -> None:
    node = expression(f"{name.lower()}(a, 2, 'x')")
    assert isinstance(node, exp.Anonymous)
    assert node.name == name
    assert written_name(node) == name.lower()
    assert [argument.sql() for argument in node.expressions] == ["a", "2", "'x'"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("a OR b AND NOT c = d", "OR(a, AND(b, NOT(EQ(c, d))))"),
        ("a = b IS NULL", "IS(EQ(a, b), NULL)"),
        ("a + b * c - d", "SUB(ADD(a, MUL(b, c)), d)"),
        ("'x' || a + b", "ADD(DPIPE('x', a), b)"),
        ("a LIKE b AND c", "AND(LIKE(a, b), c)"),
        ("a BETWEEN 1 AND 2 AND c", "AND(BETWEEN(a, 1, 2), c)"),
        ("a NOT LIKE b ESCAPE '!'", "NOT(ESCAPE(LIKE(a, b), '!'))"),
        ("-a * b", "MUL(NEG(a), b)"),
        ("a < b = c", "EQ(LT(a, b), c)"),
        ("a IS NOT DISTINCT FROM b + 1", "NULLSAFEEQ(a, ADD(b, 1))"),
        ("NOT NOT a", "NOT(NOT(a))"),
        ("a - b - c", "SUB(SUB(a, b), c)"),
        ("a AND b AND c", "AND(AND(a, b), c)"),
        ("POSITION(a IN b)", "STRPOSITION(b, a)"),
        ("a[1][2].b", "DOT(BRACKET(BRACKET(a, 1), 2), b)"),
    ],
)
def test_operators_bind_as_in_flink(sql: str, expected: str) -> None:
    assert shape(expression(sql)) == expected


def shape(node: exp.Expr) -> str:
    if isinstance(node, exp.Column | exp.Literal | exp.Identifier | exp.Null | exp.Boolean | exp.Var):
        return node.sql()
    return f"{node.key.upper()}({', '.join(shape(child) for child in node.iter_expressions())})"


def test_a_column_has_its_path() -> None:
    column = expression("a.b.c")
    assert isinstance(column, exp.Column)
    assert (column.args["db"].name, column.table, column.name) == ("a", "b", "c")
    deep = expression("a.b.c.d.`e f`")
    assert isinstance(deep, exp.Dot)
    assert deep.expression.name == "e f" and deep.this.args["catalog"].name == "a"


def test_types_of_casts_and_literals() -> None:
    assert cast_type(expression("CAST(a AS DECIMAL(10, 2))").args["to"]) == Decimal(10, 2)
    row = Row((Field("a", Int(nullable=False)), Field("b", Array(STRING))))
    assert cast_type(expression("TRY_CAST(a AS ROW<a INT NOT NULL, b ARRAY<STRING>>)").args["to"]) == row
    assert cast_type(expression("CAST(a AS TIMESTAMP(3) WITH LOCAL TIME ZONE)").args["to"]) == TimestampLtz(3)
    assert cast_type(expression("DATE '2020-01-01'").args["to"]) == Date(nullable=False)
    assert cast_type(expression("TIME '10:00:00.5'").args["to"]) == Time(1, nullable=False)
    assert cast_type(expression("TIMESTAMP '2020-01-01 00:00:00.123'").args["to"]) == Timestamp(3, nullable=False)
    # Two casts to different types are different expressions, two to the same type are equal.
    assert expression("CAST(a AS DECIMAL(10, 2))") != expression("CAST(a AS DECIMAL(10, 3))")
    assert expression("CAST(a AS DECIMAL(10, 2))") == expression("cast( a as dec(10,2) )")
    assert cast_type(expression("CAST(a AS INT)").copy().args["to"]) == Int()


def test_an_interval_has_its_value_and_its_units() -> None:
    node = expression("INTERVAL -'1 02:00:00' DAY TO SECOND")
    assert isinstance(node, exp.Interval)
    assert node.this.name == "-1 02:00:00"
    assert (node.args["unit"].this.name, node.args["unit"].expression.name) == ("DAY", "SECOND")
    assert expression("INTERVAL '10' MINUTES") == expression("INTERVAL '10' minute")


def test_functions_with_a_syntax_of_their_own_have_their_arguments() -> None:
    assert isinstance(expression("CEIL(ts TO HOUR)"), exp.Ceil)
    assert isinstance(expression("CEIL(x)"), exp.Anonymous)
    trim = expression("TRIM(LEADING 'x' FROM s)")
    assert (trim.this.name, trim.expression.name, trim.args["position"]) == ("s", "x", "LEADING")
    assert isinstance(expression("TRIM(s)"), exp.Anonymous)
    assert isinstance(expression("SUBSTRING(s FROM 2 FOR 3)"), exp.Substring)
    assert isinstance(expression("SUBSTRING(s, 2, 3)"), exp.Anonymous)
    added = expression("TIMESTAMPADD(SQL_TSI_DAY, 1, ts)")
    assert isinstance(added.expressions[0], exp.Var) and added.expressions[0].name == "DAY"
    now = expression("CURRENT_TIMESTAMP")
    assert isinstance(now, exp.Anonymous) and now.name == "CURRENT_TIMESTAMP" and not now.expressions
    value = expression("JSON_VALUE(v, '$.a' RETURNING INT DEFAULT -1 ON EMPTY NULL ON ERROR)")
    assert [argument.this.name for argument in value.expressions[2:]] == ["RETURNING", "ON_EMPTY", "ON_ERROR"]
    assert cast_type(value.expressions[2].expression) == Int()
    made = expression("MAP['a', 1, 'b', 2]")
    assert [key.name for key in made.args["keys"].expressions] == ["a", "b"]


def test_aggregates_have_distinct_filter_and_window() -> None:
    assert isinstance(expression("COUNT(*)").expressions[0], exp.Star)
    assert len(expression("COUNT(DISTINCT a, b)").expressions[0].expressions) == 2
    filtered = expression("SUM(x) FILTER (WHERE y > 1)")
    assert isinstance(filtered, exp.Filter) and isinstance(filtered.this, exp.Anonymous)
    window = expression("ROW_NUMBER() OVER (PARTITION BY a, b ORDER BY c DESC)")
    assert isinstance(window, exp.Window)
    assert len(window.args["partition_by"]) == 2
    assert window.args["order"].expressions[0].args["desc"] is True
    spec = expression("SUM(x) OVER (ORDER BY t ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)").args["spec"]
    assert (spec.args["kind"], spec.args["start"].name, spec.args["start_side"]) == ("ROWS", "2", "PRECEDING")
    assert (spec.args["end"], spec.args.get("end_side")) == ("CURRENT ROW", None)


def test_window_table_functions_have_their_arguments() -> None:
    wrapped = select("SELECT * FROM TABLE(TUMBLE(TABLE c.d.t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS w")
    source = wrapped.args["from_"].this
    assert isinstance(source, exp.TableFromRows) and source.alias == "w"
    assert source.this.name == "TUMBLE"
    table, descriptor, _ = source.this.expressions
    assert isinstance(table, exp.Table) and (table.catalog, table.db, table.name) == ("c", "d", "t")
    assert descriptor.name == "DESCRIPTOR" and descriptor.expressions[0].name == "ts"
    bare = select("SELECT * FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)").args["from_"].this
    assert isinstance(bare, exp.TableFromRows)
    named = select("SELECT * FROM TABLE(TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY))")
    assert [argument.this.name for argument in named.args["from_"].this.this.expressions] == ["DATA", "TIMECOL", "SIZE"]
    session = select("SELECT * FROM SESSION(TABLE t PARTITION BY (a, b), DESCRIPTOR(ts), INTERVAL '1' DAY)")
    partition = session.args["from_"].this.this.expressions[0].args["partition"]
    assert [column.name for column in partition.expressions] == ["a", "b"]


def test_tables_have_their_alias_hints_and_join() -> None:
    node = select(
        "SELECT * FROM a /*+ OPTIONS('k' = 'v') */ x LEFT JOIN b FOR SYSTEM_TIME AS OF x.p AS y ON x.i = y.i, c, "
        "LATERAL TABLE(f(x)) AS s(q), UNNEST(z) WITH ORDINALITY AS u(v, w), (VALUES (1, 2)) AS r(m, n), (SELECT 1) p"
    )
    first = node.args["from_"].this
    assert [(entry.key.value, entry.value.value) for entry in table_hints(first)] == [("k", "v")]
    assert first.alias == "x"
    joins = node.args["joins"]
    assert (joins[0].side, joins[0].this.alias, joins[0].args["on"].key) == ("LEFT", "y", "eq")
    assert joins[0].this.args["version"].expression.sql() == "x.p"
    assert table_hints(joins[0].this) == ()
    assert [type(join.this) for join in joins[1:]] == [exp.Table, exp.Lateral, exp.Unnest, exp.Values, exp.Subquery]
    assert all(join.kind == "CROSS" for join in joins[1:])
    assert [column.name for column in joins[4].this.args["alias"].columns] == ["m", "n"]


def test_values_and_set_operations_are_trees() -> None:
    values = select("VALUES (1, 'a'), (2, 'b')")
    assert isinstance(values.expressions[0], exp.Star)
    assert isinstance(values.args["from_"].this, exp.Values)
    script, _ = parse_script(Source("job.sql", "SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 ORDER BY 1 LIMIT 5"))
    statement = script.statements[0]
    assert isinstance(statement, Query)
    union = statement.query
    assert isinstance(union, exp.Union) and union.args["distinct"] is False
    assert isinstance(union.expression, exp.Intersect)
    assert union.args["limit"].expression.name == "5"


def test_many_conditions_make_no_deep_tree() -> None:
    node = expression(" OR ".join(f"a = {number}" for number in range(5000)))
    depth = 0
    while isinstance(node, exp.Or):
        node, depth = node.this, depth + 1
    assert depth < 50
