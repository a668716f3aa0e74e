"""Reads queries into sqlglot trees: SELECT, VALUES, WITH, set operations and what may stand behind FROM.

    SELECT …                                 exp.Select with sqlglot's arguments: expressions, distinct, from_, joins,
                                             where, group, having, windows, qualify, order, limit, offset, with_, hint
    *, t.*                                   exp.Star, exp.Column(this=exp.Star, table)
    GROUP BY a, CUBE (b), GROUPING SETS (…)  exp.Group(expressions); exp.Cube, exp.Rollup and exp.GroupingSets stand
                                             among them
    VALUES (1, 'a') as a query               exp.Select of exp.Star from the exp.Values
    a UNION [ALL] b                          exp.Union, exp.Intersect, exp.Except(this, expression, distinct)
    (query) inside a set operation           exp.Subquery
    FETCH FIRST 3 ROWS ONLY                  exp.Limit
    a, b and a CROSS JOIN b                  exp.Join(this=b, kind="CROSS")
    a [INNER] JOIN b, a LEFT [OUTER] JOIN b  exp.Join(this=b, side=None, LEFT, RIGHT or FULL, on or using or
                                             method="NATURAL")

Behind FROM and JOIN stands one of these, with `alias` an exp.TableAlias(this, columns):

    t, c.d.t                                 exp.Table(this, db, catalog); `table_hints(node)` are its OPTIONS
    t FOR SYSTEM_TIME AS OF x                exp.Table(version=exp.Version(kind="AS OF", expression=x))
    (query)                                  exp.Subquery
    (VALUES (1, 'a'), …)                     exp.Values(expressions=[exp.Tuple])
    TABLE(TUMBLE(TABLE t, …)), TUMBLE(…)     exp.TableFromRows(this=exp.Anonymous); `TABLE t` is an exp.Table, its
                                             PARTITION BY the exp.Partition in `partition`; `TABLE (query)` is an
                                             exp.Subquery
    LATERAL TABLE(f(x)), LATERAL (query)     exp.Lateral(this=exp.Anonymous or exp.Subquery)
    UNNEST(x) [WITH ORDINALITY]              exp.Unnest(expressions=[x], offset=True with ORDINALITY)
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.expression import ExpressionParser
from firesteel.sql.node import set_table_hints, stamp
from firesteel.sql.reserved import STRUCTURAL
from firesteel.sql.statement import OptionEntry, Text
from firesteel.sql.token import Kind, Token

_SET_OPERATIONS: dict[str, type[exp.SetOperation]] = {"UNION": exp.Union, "EXCEPT": exp.Except}


class QueryParser(ExpressionParser):
    def query(self) -> exp.Query:
        self.enter()
        start = self.token
        with_ = self._with() if self.at("WITH") else None
        node = self._union()
        if self.at("ORDER"):
            node.set("order", self.order_by())
        self._limits(node)
        if with_ is not None:
            node.set("with_", with_)
        self.leave()
        assert isinstance(node, exp.Expression)
        self.stamped(node, start)
        return node

    def _with(self) -> exp.With:
        start = self.expect("WITH")
        recursive = self.accept("RECURSIVE")
        if recursive is not None:
            self.refuse("'RECURSIVE' is not supported.", recursive.span, "Write the query without recursion.")
        return self.stamped(exp.With(expressions=self.list_of(self._common_table)), start)

    def _common_table(self) -> exp.CTE:
        start = self.token
        alias = exp.TableAlias(this=self.identifier("a name for the query"))
        if self.at("("):
            alias.set("columns", self.wrapped_list_of(lambda: self.identifier("a column name")))
        self.stamped(alias, start)
        self.expect("AS")
        self.expect("(")
        query = self.query()
        self.expect(")")
        return self.stamped(exp.CTE(this=query, alias=alias), start)

    def _limits(self, node: exp.Query) -> None:
        start = self.token
        # `LIMIT ALL` is no limit.
        if self.accept("LIMIT") and not self.accept("ALL"):
            node.set("limit", self.stamped(exp.Limit(expression=self._count()), start))
        start = self.token
        if self.accept("OFFSET"):
            node.set("offset", self.stamped(exp.Offset(expression=self._count()), start))
            self.accept("ROW", "ROWS")
        start = self.token
        if self.accept("FETCH"):
            if not self.accept("FIRST", "NEXT"):
                self.fail("FIRST")
            limit = exp.Limit(expression=self._count())
            if not self.accept("ROW", "ROWS"):
                self.fail("ROWS")
            self.expect("ONLY")
            node.set("limit", self.stamped(limit, start))

    def _count(self) -> exp.Literal:
        token = self.token
        if token.kind is not Kind.NUMBER or not token.value.isdigit():
            self.fail("a whole number")
        self.advance()
        return self.stamped(exp.Literal(this=token.value, is_string=False), token)

    # --- set operations ---------------------------------------------------------------------------------------------

    def _union(self) -> exp.Query:
        start = self.token
        node = self._intersection()
        length = 0
        while word := self.accept("UNION", "EXCEPT"):
            length += 1
            if length > MAX_CHAIN:
                self.refuse(
                    f"'{word.value}' joins more than {MAX_CHAIN} queries.", word.span, "Use a view for some of them."
                )
            node = self._set_operation(_SET_OPERATIONS[word.key], node, self._intersection, start)
        return node

    def _intersection(self) -> exp.Query:
        start = self.token
        node = self._query_operand()
        length = 0
        while self.accept("INTERSECT"):
            length += 1
            if length > MAX_CHAIN:
                self.fail("the end of the query")
            node = self._set_operation(exp.Intersect, node, self._query_operand, start)
        return node

    def _set_operation(
        self, build: type[exp.SetOperation], left: exp.Query, operand: Callable[[], exp.Query], start: Token
    ) -> exp.Query:
        distinct = not self.accept("ALL")
        if distinct:
            self.accept("DISTINCT")
        return self.stamped(build(this=left, expression=operand(), distinct=distinct), start)

    def _query_operand(self) -> exp.Query:
        start = self.token
        if self.at("SELECT"):
            return self._select()
        if self.at("VALUES"):
            values = self._values()
            star = stamp(exp.Star(), start.start, start.end)
            source = self.stamped(exp.From(this=values), start)
            return self.stamped(exp.Select(expressions=[star], from_=source), start)
        if self.accept("("):
            inner = self.query()
            self.expect(")")
            return self.stamped(exp.Subquery(this=inner), start)
        self.fail("SELECT or VALUES")

    # --- SELECT -----------------------------------------------------------------------------------------------------

    def _select(self) -> exp.Select:
        start = self.expect("SELECT")
        node = exp.Select()
        if self.at("/*+"):
            node.set("hint", self._query_hint())
        distinct = self.accept("DISTINCT")
        if distinct is not None:
            node.set("distinct", self.stamped(exp.Distinct(), distinct))
        else:
            self.accept("ALL")
        node.set("expressions", self.list_of(self._select_item))
        from_ = self.accept("FROM")
        if from_ is not None:
            source = self._relation()
            node.set("from_", self.stamped(exp.From(this=source), from_))
            joins = self._joins()
            if joins:
                node.set("joins", joins)
            self._select_clauses(node)
        return self.stamped(node, start)

    def _select_clauses(self, node: exp.Select) -> None:
        where = self.accept("WHERE")
        if where is not None:
            node.set("where", self.stamped(exp.Where(this=self.expression()), where))
        group = self.accept("GROUP")
        if group is not None:
            self.expect("BY")
            node.set("group", self.stamped(exp.Group(expressions=self.list_of(self._group_item)), group))
        having = self.accept("HAVING")
        if having is not None:
            node.set("having", self.stamped(exp.Having(this=self.expression()), having))
        if self.accept("WINDOW"):
            node.set("windows", self.list_of(self._named_window))
        qualify = self.accept("QUALIFY")
        if qualify is not None:
            node.set("qualify", self.stamped(exp.Qualify(this=self.expression()), qualify))

    def _select_item(self) -> exp.Expression:
        start = self.token
        star = self._star()
        if star is not None:
            return star
        value = self.expression()
        if not self.accept("AS") and not self.at_identifier():
            return value
        return self.stamped(exp.Alias(this=value, alias=self.identifier("a name for the column")), start)

    def _star(self) -> exp.Expression | None:
        """Read `*` or `a.b.*`."""
        start = self.token
        if self.accept("*"):
            return self.stamped(exp.Star(), start)
        ahead = 0
        while self.peek(ahead).kind in (Kind.WORD, Kind.NAME) and self.peek(ahead + 1).key == ".":
            ahead += 2
        if ahead == 0 or self.peek(ahead).key != "*":
            return None
        parts = [self.identifier()]
        while self.accept(".") and not self.at("*"):
            parts.append(self.identifier())
        token = self.expect("*")
        if len(parts) > 3:
            self.refuse(f"'{self.raw(token)}' has more than three names before it.", self.span_from(start))
        qualifiers = dict(zip(("table", "db", "catalog"), reversed(parts), strict=False))
        return self.stamped(exp.Column(this=stamp(exp.Star(), token.start, token.end), **qualifiers), start)

    def _group_item(self) -> exp.Expression:
        start = self.token
        if self.accept_sequence("(", ")"):
            return self.stamped(exp.Tuple(expressions=[]), start)
        if self.accept_sequence("GROUPING", "SETS"):
            self.enter()
            sets = self.wrapped_list_of(self._group_item)
            self.leave()
            return self.stamped(exp.GroupingSets(expressions=sets), start)
        kind = self.accept("CUBE", "ROLLUP")
        if kind is None:
            return self.expression()
        build = exp.Cube if kind.key == "CUBE" else exp.Rollup
        return self.stamped(build(expressions=self.wrapped_list_of(self.expression)), start)

    def _named_window(self) -> exp.Window:
        start = self.token
        name = self.identifier("a window name")
        self.expect("AS")
        node = self.window(name, start)
        node.set("over", None)
        return node

    # --- what stands behind FROM ------------------------------------------------------------------------------------

    def _joins(self) -> list[exp.Join]:
        joins: list[exp.Join] = []
        while (join := self._join()) is not None:
            joins.append(join)
            if len(joins) > MAX_CHAIN:
                self.fail("the end of the FROM clause")
        return joins

    def _join(self) -> exp.Join | None:
        start = self.token
        if self.accept(","):
            return self.stamped(exp.Join(this=self._relation(), kind="CROSS"), start)
        natural = self.accept("NATURAL")
        cross = self.accept("CROSS") if natural is None else None
        side: Token | None = None
        if cross is None and not self.accept("INNER"):
            side = self.accept("LEFT", "RIGHT", "FULL")
            if side is not None:
                self.accept("OUTER")
        if self.token is start and not self.at("JOIN"):
            return None
        self.expect("JOIN")
        node = exp.Join(this=self._relation())
        if side is not None:
            node.set("side", side.key)
        if natural is not None:
            node.set("method", "NATURAL")
        elif cross is not None:
            node.set("kind", "CROSS")
        elif self.accept("ON"):
            node.set("on", self.expression())
        elif self.accept("USING"):
            node.set("using", self.wrapped_list_of(lambda: self.identifier("a column name")))
        else:
            self.fail("ON", "Write ON with the join's condition, or CROSS JOIN.")
        return self.stamped(node, start)

    def _relation(self) -> exp.Expression:
        start = self.token
        node = self._unaliased(start)
        if self.at("MATCH_RECOGNIZE", "TABLESAMPLE"):
            self.refuse(f"'{self.token.value}' is not supported.", self.token.span)
        alias = self._alias()
        if alias is not None:
            node.set("alias", alias)
        if self.at("MATCH_RECOGNIZE", "TABLESAMPLE"):
            self.refuse(f"'{self.token.value}' is not supported.", self.token.span)
        return self.stamped(node, start)

    def _unaliased(self, start: Token) -> exp.Expression:
        if self.accept("LATERAL"):
            if self.at("TABLE"):
                return exp.Lateral(this=self._table_function())
            self.expect("(")
            opening = self.previous
            subquery = exp.Subquery(this=self.query())
            self.expect(")")
            return exp.Lateral(this=self.stamped(subquery, opening))
        if self.at("UNNEST"):
            return self._unnest()
        if self.at("TABLE"):
            return exp.TableFromRows(this=self._table_function())
        if self.at("("):
            return self._derived()
        name, following = self.token, self.peek()
        if following.key == "(" and name.kind in (Kind.WORD, Kind.NAME) and name.key not in STRUCTURAL:
            self.advance()
            return exp.TableFromRows(this=self.call([name]))
        return self._table(start)

    def _table_function(self) -> exp.Expression:
        """Read `TABLE(f(…))`."""
        self.expect("TABLE")
        self.expect("(")
        name = self.token
        if name.kind not in (Kind.WORD, Kind.NAME) or self.peek().key not in ("(", "."):
            self.fail("a function such as TUMBLE")
        path = [self.advance()]
        while self.accept("."):
            path.append(self.advance())
        node = self.call(path)
        self.expect(")")
        return node

    def _unnest(self) -> exp.Unnest:
        self.expect("UNNEST")
        self.expect("(")
        node = exp.Unnest(expressions=self.list_of(self.expression))
        self.expect(")")
        if self.accept_sequence("WITH", "ORDINALITY"):
            node.set("offset", True)
        return node

    def _derived(self) -> exp.Expression:
        self.expect("(")
        values = self._values() if self.at("VALUES") else None
        if values is not None and self.accept(")"):
            return values
        if values is not None:
            self.fail("')'")
        if not self.at("SELECT", "WITH", "("):
            self.fail("SELECT", "A join in parentheses is not supported: write it without them.")
        query = self.query()
        self.expect(")")
        return exp.Subquery(this=query)

    def _values(self) -> exp.Values:
        start = self.expect("VALUES")
        return self.stamped(exp.Values(expressions=self.list_of(self._values_row)), start)

    def _values_row(self) -> exp.Tuple:
        start = self.token
        self.accept("ROW")
        values = self.wrapped_list_of(self.expression) if self.at("(") else [self.expression()]
        return self.stamped(exp.Tuple(expressions=values), start)

    def _table(self, start: Token) -> exp.Table:
        parts = [self.identifier("a table")]
        while self.accept("."):
            parts.append(self.identifier("a table"))
        if len(parts) > 3:
            self.refuse(
                "'.' joins more than three names of a table.", self.span_from(start), "Write catalog.database.table."
            )
        node = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(parts), strict=False)))
        if self.at("/*+"):
            set_table_hints(node, self.option_hints())
        time = self.token
        if self.accept_sequence("FOR", "SYSTEM_TIME", "AS", "OF"):
            moment = exp.Version(this="TIMESTAMP", kind="AS OF", expression=self.expression())
            node.set("version", self.stamped(moment, time))
        return self.stamped(node, start)

    def _alias(self) -> exp.TableAlias | None:
        start = self.token
        written = self.accept("AS")
        if written is None and not self.at_identifier():
            return None
        start = self.token
        alias = exp.TableAlias(this=self.identifier("a name for the table"))
        if self.at("("):
            alias.set("columns", self.wrapped_list_of(lambda: self.identifier("a column name")))
        return self.stamped(alias, start)

    def table_argument(self) -> exp.Expression:
        start = self.expect("TABLE")
        node: exp.Expression
        if self.accept("("):
            node = exp.Subquery(this=self.query())
            self.expect(")")
        else:
            node = self._table(self.token)
        by = self.token
        if self.accept_sequence("PARTITION", "BY"):
            keys = self.wrapped_list_of(self.expression) if self.at("(") else [self.expression()]
            # Without parentheses a comma ends the argument, unless another column follows: one key then.
            node.set("partition", self.stamped(exp.Partition(expressions=keys), by))
        if self.at("ORDER"):
            self.refuse("'ORDER BY' is not supported on an argument.", self.token.span)
        return self.stamped(node, start)

    # --- hints ------------------------------------------------------------------------------------------------------

    def option_entry(self) -> OptionEntry:
        """Read `'key' = 'value'`; DLI's reference has double quotes too."""
        key = self._option_text("a key in single quotes")
        self.expect("=")
        value = self.token
        if value.kind in (Kind.WORD, Kind.NAME, Kind.NUMBER):
            # The value is not repeated: it may be a password.
            self.refuse(f"'{key.value[:80]}' has a value without quotes.", value.span, "Write it in single quotes.")
        return OptionEntry(key, self._option_text("a value in single quotes"))

    def _option_text(self, what: str) -> Text:
        token = self.token
        if token.kind is not Kind.QUOTED:
            return self.string(what)
        self.advance()
        return Text(token.value, token.span)

    def option_hints(self) -> tuple[OptionEntry, ...]:
        """Read `/*+ OPTIONS('key' = 'value', …) */`."""
        self.expect("/*+")
        entries: list[OptionEntry] = []
        while not entries or self.accept(","):
            name = self.token
            if not self.accept("OPTIONS"):
                self.fail("OPTIONS", "OPTIONS is the only hint of a table." if name.kind is Kind.WORD else None)
            entries += self.wrapped_list_of(self.option_entry)
        self.expect("*/")
        return tuple(entries)

    def _query_hint(self) -> exp.Hint:
        """Read `SELECT /*+ STATE_TTL('t' = '1d'), BROADCAST(t) */`: each an exp.Anonymous of texts, columns and exp.EQ."""
        start = self.expect("/*+")
        hints = self.list_of(self._hint_item)
        self.close("*/")
        return self.stamped(exp.Hint(expressions=hints), start)

    def _hint_item(self) -> exp.Expression:
        name = self.token
        if name.kind is not Kind.WORD:
            self.fail("a hint")
        self.advance()
        return self.function([name], self.wrapped_list_of(self.expression) if self.at("(") else [])
