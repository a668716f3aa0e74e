"""Queries made by chance, each as Flink's SQL for a sink and as SQL for DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Question:
    """`columns` are the sink's, with their types; `key` are those of its primary key, none for a changelog sink."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    flink: str
    duckdb: str


def _question(name: str, columns: str, key: str, sql: str, duckdb: str = "") -> Question:
    return Question(name, tuple(columns.split(", ")), tuple(key.split(", ")) if key else (), sql, duckdb or sql)


def _condition(random: Random, table: str = "") -> str:
    dot = f"{table}." if table else ""
    return random.choice(
        [f"{dot}v > {random.randrange(5)}", f"{dot}k <> 'a'", f"{dot}v IS NOT NULL", f"{dot}k IN ('a', 'b')", "TRUE"]
    )


def projection(random: Random) -> Question:
    return _question(
        "projection",
        "id INT, n INT, t STRING",
        "id",
        f"SELECT id, v + 1, UPPER(k) FROM orders WHERE {_condition(random)}",
    )


def people_copy(random: Random) -> Question:
    return _question("people_copy", "id INT, g STRING", "", f"SELECT id, g FROM people WHERE x > {random.randrange(4)}")


def groups(random: Random) -> Question:
    having = random.choice(["", f" HAVING COUNT(*) > {random.randrange(1, 3)}", " HAVING SUM(v) > 3"])
    table = random.choice(["orders", "(SELECT k, v, d, c FROM orders WHERE v > 0)"])
    average = "CAST(TRUNC(SUM(v) / COUNT(v)) AS INT)"
    sql = (
        "SELECT k, COUNT(*), COUNT(v), SUM(v), {average}, SUM(d), COUNT(DISTINCT c), SUM(DISTINCT v),"
        f" COUNT(*) FILTER (WHERE v > 2) FROM {table} WHERE k IS NOT NULL GROUP BY k{having}"
    )
    columns = "k STRING, n BIGINT, nv BIGINT, s INT, a INT, sd DECIMAL(38, 2), dc BIGINT, sv INT, f BIGINT"
    return _question("groups", columns, "k", sql.format(average="AVG(v)"), sql.format(average=average))


def groups_changelog(random: Random) -> Question:
    table = random.choice(["orders", "events"])
    return _question(
        "groups_changelog",
        "k STRING, n BIGINT, s INT, dc BIGINT",
        "",
        f"SELECT k, COUNT(*), SUM(v), COUNT(DISTINCT c) FROM {table} WHERE {_condition(random)} GROUP BY k",
    )


def extremes_changelog(random: Random) -> Question:
    return _question(
        "extremes",
        "k STRING, lo INT, hi INT, n BIGINT",
        "",
        f"SELECT k, MIN(v), MAX(v), COUNT(*) FROM events WHERE {_condition(random)} GROUP BY k",
    )


def groups_of_groups(random: Random) -> Question:
    inner = random.choice(
        [
            "SELECT k, COUNT(*) AS n, SUM(v) AS s FROM orders GROUP BY k",
            "SELECT c AS k, COUNT(*) AS n, SUM(v) AS s FROM events GROUP BY c",
        ]
    )
    return _question(
        "groups_of_groups", "n BIGINT, m BIGINT, s INT", "n", f"SELECT n, COUNT(*), SUM(s) FROM ({inner}) GROUP BY n"
    )


def people_groups(random: Random) -> Question:
    return _question(
        "people_groups",
        "g STRING, n BIGINT, s INT",
        "g",
        f"SELECT g, COUNT(*), SUM(x) FROM people WHERE g IS NOT NULL AND x >= {random.randrange(3)} GROUP BY g",
    )


def whole(random: Random) -> Question:
    table, column = random.choice([("orders", "v"), ("people", "x")])
    # Flink takes the row of an empty group back, also where there is only one.
    return _question(
        "whole",
        "one INT, n BIGINT, s INT",
        "one",
        f"SELECT 1, n, s FROM (SELECT COUNT(*) AS n, SUM({column}) AS s FROM {table})",
        f"SELECT 1, n, s FROM (SELECT COUNT(*) AS n, SUM({column}) AS s FROM {table}) WHERE n > 0",
    )


def distinct(random: Random) -> Question:
    return _question(
        "distincts", "k STRING", "k", f"SELECT DISTINCT k FROM orders WHERE k IS NOT NULL AND {_condition(random)}"
    )


def inner_join(random: Random) -> Question:
    return _question(
        "inner_join",
        "id INT, g STRING, v INT",
        "id",
        f"SELECT o.id, p.g, o.v FROM orders AS o JOIN people AS p ON o.c = p.id WHERE {_condition(random, 'o')}",
    )


def left_join(random: Random) -> Question:
    more = random.choice(["", " AND p.x > 1", " AND o.v > p.x", " AND (o.v < p.x + 3 OR o.k = p.g)", " AND o.v > 2"])
    return _question(
        "left_join",
        "id INT, pid INT, g STRING",
        "id",
        f"SELECT o.id, p.id, p.g FROM orders AS o LEFT JOIN people AS p ON o.c = p.id{more}",
    )


def outer_join(random: Random) -> Question:
    kind = random.choice(["RIGHT", "FULL"])
    more = random.choice(["", " AND p.x > 1", " AND o.v <> p.x"])
    return _question(
        "outer_join",
        "id INT, pid INT, g STRING",
        "",
        f"SELECT o.id, p.id, p.g FROM orders AS o {kind} JOIN people AS p ON o.c = p.id{more}",
    )


def events_join(random: Random) -> Question:
    return _question(
        "events_join",
        "eid INT, oid INT, v INT",
        "",
        f"SELECT e.id, o.id, o.v FROM events AS e JOIN orders AS o ON e.k = o.k WHERE {_condition(random, 'e')}",
    )


def join_groups(random: Random) -> Question:
    kind = random.choice(["JOIN", "LEFT JOIN"])
    return _question(
        "join_groups",
        "g STRING, n BIGINT, s INT",
        "",
        f"SELECT p.g, COUNT(*), SUM(o.v) FROM orders AS o {kind} people AS p ON o.c = p.id GROUP BY p.g",
    )


def group_join(random: Random) -> Question:
    return _question(
        "group_join",
        "k STRING, n BIGINT, m BIGINT",
        "k",
        "SELECT a.k, a.n, b.n FROM (SELECT k, COUNT(*) AS n FROM orders GROUP BY k) AS a"
        " JOIN (SELECT k, COUNT(*) AS n FROM events GROUP BY k) AS b ON a.k = b.k",
    )


def semi_join(random: Random) -> Question:
    return _question(
        "semi_join",
        "id INT, k STRING",
        "id",
        f"SELECT id, k FROM orders WHERE c IN (SELECT id FROM people WHERE x > {random.randrange(3)})",
    )


def anti_join(random: Random) -> Question:
    return _question(
        "anti_join",
        "id INT, k STRING",
        "id",
        "SELECT id, k FROM orders WHERE NOT EXISTS (SELECT 1 FROM people"
        f" WHERE people.id = orders.c AND x > {random.randrange(3)})",
    )


def exists(random: Random) -> Question:
    return _question(
        "groups_that_exist",
        "id INT, n BIGINT",
        "id",
        "SELECT id, n FROM (SELECT c AS id, COUNT(*) AS n FROM orders GROUP BY c) AS o"
        f" WHERE EXISTS (SELECT * FROM people AS p WHERE p.id = o.id AND p.x > {random.randrange(3)})",
    )


def top(random: Random) -> Question:
    most = random.choice([1, 2, 3])
    direction = random.choice(["DESC", "ASC"])
    ranked = f"ROW_NUMBER() OVER (PARTITION BY k ORDER BY v {direction}, id) AS rn"
    nulls = "NULLS FIRST" if direction == "ASC" else "NULLS LAST"
    key = random.choice(["k, rn", ""])
    columns, selected = ("k STRING, rn BIGINT, id INT", "k, rn, id") if key else ("k STRING, id INT", "k, id")
    sql = f"SELECT {selected} FROM (SELECT k, id, v, {ranked} FROM events WHERE k IS NOT NULL) WHERE rn <= {most}"
    return _question(
        "top", columns, key, sql, sql.replace(f"ORDER BY v {direction}", f"ORDER BY v {direction} {nulls}")
    )


def best(random: Random) -> Question:
    return _question(
        "best",
        "id INT, v INT",
        "",
        "SELECT id, v FROM events ORDER BY v DESC, id DESC LIMIT 3",
        "SELECT id, v FROM events ORDER BY v DESC NULLS LAST, id DESC LIMIT 3",
    )


def extremes_of_changes(random: Random) -> Question:
    table = random.choice(
        [
            "orders",
            "(SELECT k, v, d, c FROM orders WHERE v > 0)",
            "(SELECT o.k, o.v, o.d, p.x AS c FROM orders AS o LEFT JOIN people AS p ON o.c = p.id)",
        ]
    )
    key = random.choice(["k", ""])
    sql = (
        "SELECT k, MIN(v), MAX(v), MAX(d), MIN(c) FILTER (WHERE v > 1), COUNT(DISTINCT c), MAX(DISTINCT c), COUNT(*)"
        f" FROM {table} WHERE k IS NOT NULL GROUP BY k"
    )
    columns = "k STRING, lo INT, hi INT, hd DECIMAL(10, 2), lc INT, dc BIGINT, hc INT, n BIGINT"
    return _question("extremes_of_changes", columns, key, sql)


def spreads_of_changes(random: Random) -> Question:
    function = random.choice(["STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP"])
    # Flink's deviation of an INT is an INT: what is behind the point is cut off.
    sql = "SELECT c, {value}, COUNT(*) FROM orders WHERE c IS NOT NULL GROUP BY c"
    spread = f"CAST(ROUND({function}(CAST(v AS DOUBLE)) * 1000) AS BIGINT)"
    return _question("spreads", "c INT, s BIGINT, n BIGINT", "c", sql.format(value=spread))


def extremes_of_groups(random: Random) -> Question:
    inner = random.choice(
        [
            "SELECT k, c, COUNT(*) AS n FROM orders GROUP BY k, c",
            "SELECT k, c, SUM(v) AS n FROM events GROUP BY k, c",
            "SELECT g AS k, x AS c, COUNT(*) AS n FROM people GROUP BY g, x",
        ]
    )
    return _question(
        "extremes_of_groups",
        "k STRING, lo BIGINT, hi BIGINT, m BIGINT",
        random.choice(["k", ""]),
        f"SELECT k, MIN(n), MAX(n), COUNT(DISTINCT n) FROM ({inner}) WHERE k IS NOT NULL GROUP BY k",
    )


def top_of_changes(random: Random) -> Question:
    most, first = random.choice([(1, 1), (2, 1), (3, 1), (3, 2)])
    rows = random.choice(
        [
            "SELECT k, id, v FROM orders",
            "SELECT k, c AS id, SUM(v) AS v FROM events WHERE c IS NOT NULL GROUP BY k, c",
            "SELECT g AS k, id, x AS v FROM people",
            "SELECT p.g AS k, o.id, o.v FROM orders AS o JOIN people AS p ON o.c = p.id",
        ]
    )
    direction, other = random.choice([("DESC", "ASC"), ("ASC", "DESC"), ("DESC", "DESC")])
    nulls = "NULLS FIRST" if direction == "ASC" else "NULLS LAST"
    ranked = f"ROW_NUMBER() OVER (PARTITION BY k ORDER BY v {direction}{{nulls}}, id {other}) AS rn"
    key = random.choice(["k, rn", ""])
    columns, selected = ("k STRING, rn BIGINT, id INT", "k, rn, id") if key else ("k STRING, id INT", "k, id")
    sql = (
        f"SELECT {selected} FROM (SELECT k, id, v, {ranked} FROM ({rows}) WHERE k IS NOT NULL)"
        f" WHERE rn BETWEEN {first} AND {most}"
    )
    return _question("top_of_changes", columns, key, sql.format(nulls=""), sql.format(nulls=f" {nulls}"))


def best_of_groups(random: Random) -> Question:
    most = random.choice([1, 2, 4])
    sql = "SELECT k, n FROM (SELECT k, COUNT(*) AS n FROM {table} WHERE k IS NOT NULL GROUP BY k) ORDER BY n DESC, k LIMIT {most}"
    return _question(
        "best_of_groups", "k STRING, n BIGINT", "k", sql.format(table=random.choice(["orders", "events"]), most=most)
    )


def union(random: Random) -> Question:
    everything = random.choice(["ALL ", ""])
    return _question(
        "unions",
        "k STRING",
        "",
        f"SELECT k FROM orders UNION {everything}SELECT g FROM people UNION {everything}SELECT k FROM events",
    )


QUESTIONS: tuple[Callable[[Random], Question], ...] = (
    projection,
    people_copy,
    groups,
    groups_changelog,
    extremes_changelog,
    groups_of_groups,
    people_groups,
    whole,
    distinct,
    inner_join,
    left_join,
    outer_join,
    events_join,
    join_groups,
    group_join,
    semi_join,
    anti_join,
    exists,
    top,
    best,
    extremes_of_changes,
    spreads_of_changes,
    extremes_of_groups,
    top_of_changes,
    best_of_groups,
    union,
)
