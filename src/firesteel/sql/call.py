"""Reads calls of functions: arguments, the clauses of aggregates and windows, the clauses of JSON functions."""

from __future__ import annotations

from abc import abstractmethod

from sqlglot import exp

from firesteel.sql.node import data_type, set_written_name
from firesteel.sql.token import Kind, Token
from firesteel.sql.type import TypeParser


class CallParser(TypeParser):
    @abstractmethod
    def query(self) -> exp.Query:
        """Read a query inside an expression."""

    @abstractmethod
    def table_argument(self) -> exp.Expression:
        """Read `TABLE t`, as an argument of a window function."""

    @abstractmethod
    def expression(self) -> exp.Expression: ...

    @abstractmethod
    def sum(self) -> exp.Expression:
        """Read an expression without comparisons, IN, LIKE, BETWEEN, AND and OR outside of parentheses."""

    def function(self, name: list[Token], arguments: list[exp.Expression]) -> exp.Anonymous:
        node = exp.Anonymous(this=name[-1].value.upper(), expressions=arguments)
        set_written_name(node, ".".join(token.value for token in name))
        return self.stamped(node, name[0])

    def call(self, name: list[Token]) -> exp.Expression:
        """Read the rest of a call: the name has been read, the parenthesis has not."""
        self.expect("(")
        arguments: list[exp.Expression] = []
        star = self.token
        if self.accept("*"):
            arguments.append(self.stamped(exp.Star(), star))
            self.expect(")")
        elif not self.accept(")"):
            arguments = self._arguments()
            if name[-1].key.startswith("JSON_"):
                arguments += self.json_clauses()
            self.close(")")
        return self.aggregated(self.function(name, arguments), name[0])

    def _arguments(self) -> list[exp.Expression]:
        distinct = self.accept("DISTINCT")
        if distinct is not None:
            values = self.list_of(self.expression)
            return [self.stamped(exp.Distinct(expressions=values), distinct)]
        self.accept("ALL")
        return self.list_of(self._argument)

    def _argument(self) -> exp.Expression:
        start = self.token
        if start.key == "TABLE":
            return self.table_argument()
        if self.peek().key == "=>" and start.kind in (Kind.WORD, Kind.NAME):
            self.advance()
            name = self.stamped(exp.Var(this=start.value.upper()), start)
            self.advance()
            value = self.table_argument() if self.at("TABLE") else self.expression()
            return self.stamped(exp.Kwarg(this=name, expression=value), start)
        return self.expression()

    def aggregated(self, function: exp.Expression, start: Token) -> exp.Expression:
        """Read the clauses that may follow an aggregate function's parenthesis."""
        node = function
        if self.accept_sequence("WITHIN", "GROUP"):
            self.expect("(")
            node = self.stamped(exp.WithinGroup(this=node, expression=self.order_by()), start)
            self.expect(")")
            node = self.stamped(node, start)
        if self.at_sequence("FILTER", "("):
            self.advance()
            self.advance()
            where = self.expect("WHERE")
            condition = self.stamped(exp.Where(this=self.expression()), where)
            self.expect(")")
            node = self.stamped(exp.Filter(this=node, expression=condition), start)
        if self.accept_sequence("IGNORE", "NULLS"):
            node = self.stamped(exp.IgnoreNulls(this=node), start)
        elif self.accept_sequence("RESPECT", "NULLS"):
            node = self.stamped(exp.RespectNulls(this=node), start)
        if self.accept("OVER"):
            if self.at("("):
                node = self.window(node, start)
            else:
                node = exp.Window(this=node, alias=self.identifier("a window"), over="OVER")
            node = self.stamped(node, start)
        return node

    def window(self, function: exp.Expression, start: Token) -> exp.Window:
        """Read `(PARTITION BY … ORDER BY … ROWS …)` over a function, or over the name of a window of the WINDOW clause."""
        self.expect("(")
        node = exp.Window(this=function, over="OVER")
        if self.at_identifier() and not self.at("PARTITION", "ORDER", "ROWS", "RANGE"):
            node.set("alias", self.identifier())
        if self.accept_sequence("PARTITION", "BY"):
            node.set("partition_by", self.list_of(self.expression))
        if self.at("ORDER"):
            node.set("order", self.order_by())
        frame = self.accept("ROWS", "RANGE")
        if frame is not None:
            node.set("spec", self._frame(frame))
        self.expect(")")
        return self.stamped(node, start)

    def _frame(self, kind: Token) -> exp.WindowSpec:
        node = exp.WindowSpec(kind=kind.key)
        between = self.accept("BETWEEN")
        for which in ("start", "end"):
            value, side = self._frame_bound()
            node.set(which, value)
            node.set(f"{which}_side", side)
            if not between:
                break
            if which == "start":
                self.expect("AND")
        return self.stamped(node, kind)

    def _frame_bound(self) -> tuple[str | exp.Expression, str | None]:
        if self.accept_sequence("CURRENT", "ROW"):
            return "CURRENT ROW", None
        value = "UNBOUNDED" if self.accept("UNBOUNDED") else self.expression()
        side = self.accept("PRECEDING", "FOLLOWING")
        if side is None:
            self.fail("PRECEDING or FOLLOWING")
        return value, side.key

    def order_by(self) -> exp.Order:
        start = self.expect("ORDER")
        self.expect("BY")
        return self.stamped(exp.Order(expressions=self.list_of(self._ordered)), start)

    def _ordered(self) -> exp.Ordered:
        start = self.token
        value = self.expression()
        direction = self.accept("ASC", "DESC")
        descending = direction is not None and direction.key == "DESC"
        # Flink takes NULL as smaller than every value.
        nulls_first = not descending
        if self.accept("NULLS"):
            where = self.accept("FIRST", "LAST")
            if where is None:
                self.fail("FIRST or LAST")
            nulls_first = where.key == "FIRST"
        return self.stamped(exp.Ordered(this=value, desc=descending, nulls_first=nulls_first), start)

    # --- JSON ------------------------------------------------------------------------------------------------------

    def json_clauses(self) -> list[exp.Expression]:
        clauses: list[exp.Expression] = []
        while not self.at(")"):
            start = self.token
            value: exp.Expression
            if self.accept("RETURNING"):
                name, value = "RETURNING", self.type_node()
            elif self.accept("WITH", "WITHOUT"):
                kind = self.accept("CONDITIONAL", "UNCONDITIONAL")
                self.accept("ARRAY")
                self.expect("WRAPPER")
                text = "WITHOUT" if start.key == "WITHOUT" else kind.key if kind else "UNCONDITIONAL"
                name, value = "WRAPPER", self.stamped(exp.Var(this=text), start)
            else:
                value = self._json_reaction()
                self.expect("ON")
                event = self.accept("EMPTY", "ERROR", "NULL")
                if event is None:
                    self.fail("EMPTY, ERROR or NULL")
                name = f"ON_{event.key}"
            clauses.append(self.stamped(exp.Kwarg(this=exp.Var(this=name), expression=value), start))
        return clauses

    def _json_reaction(self) -> exp.Expression:
        start = self.token
        if self.accept("DEFAULT"):
            return self.expression()
        if self.accept("EMPTY"):
            kind = self.accept("ARRAY", "OBJECT")
            if kind is None:
                self.fail("ARRAY or OBJECT")
            return self.stamped(exp.Var(this=f"EMPTY {kind.key}"), start)
        if not self.accept("NULL", "ERROR", "ABSENT", "TRUE", "FALSE", "UNKNOWN"):
            self.fail("')'")
        return self.stamped(exp.Var(this=start.key), start)

    def type_node(self) -> exp.DataType:
        start = self.token
        return self.stamped(data_type(self.type()), start)
