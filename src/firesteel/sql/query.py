"""Reads queries into sqlglot trees: SELECT, VALUES, WITH and set operations.

    SELECT …                                 exp.Select with sqlglot's arguments: expressions, distinct, from_, joins,
                                             where, group, having, windows, qualify, order, limit, offset, with_, hint
    *, t.*                                   exp.Star, exp.Column(this=exp.Star, table)
    GROUP BY a, CUBE (b), GROUPING SETS (…)  exp.Group(expressions); exp.Cube, exp.Rollup and exp.GroupingSets stand
                                             among them
    VALUES (1, 'a') as a query               exp.Select of exp.Star from the exp.Values
    a UNION [ALL] b                          exp.Union, exp.Intersect, exp.Except(this, expression, distinct)
    (query) inside a set operation           exp.Subquery
    FETCH FIRST 3 ROWS ONLY                  exp.Limit

The FROM clause is read in `sql/from_clause.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.from_clause import FromParser
from firesteel.sql.node import stamp
from firesteel.sql.token import Kind, Token

_SET_OPERATIONS: dict[str, type[exp.SetOperation]] = {"UNION": exp.Union, "EXCEPT": exp.Except}


class QueryParser(FromParser):
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
            values = self.values()
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
            source = self.relation()
            node.set("from_", self.stamped(exp.From(this=source), from_))
            joins = self.joins()
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
