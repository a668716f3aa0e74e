"""Reads the FROM clause: tables, subqueries, table functions and their joins; and the options behind a table.

    a, b and a CROSS JOIN b                  exp.Join(this=b, kind="CROSS")
    a [INNER] JOIN b, a LEFT [OUTER] JOIN b  exp.Join(this=b, side=None, LEFT, RIGHT or FULL, on or using or
                                             method="NATURAL")

FROM and JOIN are followed by one of these, with `alias` an exp.TableAlias(this, columns):

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

from sqlglot import exp

from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.expression import ExpressionParser
from firesteel.sql.node import set_table_hints
from firesteel.sql.reserved import STRUCTURAL
from firesteel.sql.statement import OptionEntry, Text
from firesteel.sql.token import Kind, Token


class FromParser(ExpressionParser):
    def joins(self) -> list[exp.Join]:
        joins: list[exp.Join] = []
        while (join := self._join()) is not None:
            joins.append(join)
            if len(joins) > MAX_CHAIN:
                self.fail("the end of the FROM clause")
        return joins

    def _join(self) -> exp.Join | None:
        start = self.token
        if self.accept(","):
            return self.stamped(exp.Join(this=self.relation(), kind="CROSS"), start)
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
        node = exp.Join(this=self.relation())
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

    def relation(self) -> exp.Expression:
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
        values = self.values() if self.at("VALUES") else None
        if values is not None and self.accept(")"):
            return values
        if values is not None:
            self.fail("')'")
        if not self.at("SELECT", "WITH", "("):
            self.fail("SELECT", "A join in parentheses is not supported: write it without them.")
        query = self.query()
        self.expect(")")
        return exp.Subquery(this=query)

    def values(self) -> exp.Values:
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
