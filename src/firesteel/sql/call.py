"""Reads calls of functions, and syntaxes that look like calls but have rules of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from sqlglot import exp

from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.interval import UNITS, check_interval, literal_form, literal_type
from firesteel.sql.node import data_type, set_written_name, stamp
from firesteel.sql.token import Kind, Token
from firesteel.sql.type import TypeParser

_FIELDS = (*UNITS, "MILLISECOND", "MICROSECOND", "NANOSECOND", "DECADE", "CENTURY", "MILLENNIUM")
_EXTRACT_FIELDS = (*_FIELDS, "EPOCH", "DOW", "ISODOW", "DOY", "ISOYEAR")


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

    def special(self) -> exp.Expression | None:
        """Read a syntax that starts with a word of its own, such as CAST; None if there is none here."""
        read = _SPECIAL.get(self.token.key)
        return read(self) if read is not None else None

    def _opened(self) -> Token | None:
        """Steps over `name (` and gives the name; None when no parenthesis follows."""
        if self.peek().key != "(":
            return None
        name = self.advance()
        self.advance()
        return name

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
                arguments += self._json_clauses()
            self.close(")")
        return self._aggregated(self.function(name, arguments), name[0])

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

    def _aggregated(self, function: exp.Expression, start: Token) -> exp.Expression:
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

    # --- special syntaxes: None when the word is used as an ordinary function or name --------------------------------

    def _constant(self) -> exp.Expression:
        token = self.advance()
        if token.key in ("NULL", "UNKNOWN"):
            return self.stamped(exp.Null(), token)
        return self.stamped(exp.Boolean(this=token.key == "TRUE"), token)

    def _case(self) -> exp.Expression:
        start = self.expect("CASE")
        node = exp.Case()
        if not self.at("WHEN"):
            node.set("this", self.expression())
        branches = []
        while when := self.accept("WHEN"):
            branch = exp.If(this=self.expression())
            if node.this is not None and self.at(","):
                branch.set("others", self._other_values())
            self.expect("THEN")
            branch.set("true", self.expression())
            branches.append(self.stamped(branch, when))
        if not branches:
            self.fail("WHEN")
        node.set("ifs", branches)
        if self.accept("ELSE"):
            node.set("default", self.expression())
        self.expect("END")
        return self.stamped(node, start)

    def _other_values(self) -> list[exp.Expression]:
        """Read `, 2` of `CASE x WHEN 1, 2 THEN`."""
        values: list[exp.Expression] = []
        while self.accept(","):
            values.append(self.expression())
            if len(values) > MAX_CHAIN:
                self.fail("THEN")
        return values

    def _cast(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        value = self.expression()
        self.expect("AS")
        to = self._type_node()
        self.expect(")")
        build = exp.TryCast if start.key == "TRY_CAST" else exp.Cast
        return self.stamped(build(this=value, to=to), start)

    def _type_node(self) -> exp.DataType:
        start = self.token
        return self.stamped(data_type(self.type()), start)

    def _temporal(self) -> exp.Expression | None:
        start, text = self.token, self.peek()
        if text.kind is not Kind.STRING:
            return None
        self.advance()
        self.advance()
        type_ = literal_type(start.key, text.value)
        if type_ is None:
            self.refuse(
                f"'{text.value[:40]}' is no {start.key}.", text.span, f"Write it as '{literal_form(start.key)}'."
            )
        value = stamp(exp.Literal(this=text.value, is_string=True), text.start, text.end)
        to = stamp(data_type(type_), start.start, start.end)
        return self.stamped(exp.Cast(this=value, to=to), start)

    def _interval_literal(self) -> exp.Expression:
        start = self.expect("INTERVAL")
        sign = self.accept("-", "+")
        text = self.token
        if text.kind is not Kind.STRING:
            number = text.value if text.kind is Kind.NUMBER else "1"
            unit_word = self.peek().value if text.kind is Kind.NUMBER else "DAY"
            hint = f"Write INTERVAL '{number[:20]}' {unit_word[:20]}."
            self.fail("a text such as '1'", hint)
        self.advance()
        value = text.value
        if sign is not None and sign.key == "-":
            value = value[1:] if value.startswith("-") else f"-{value}"
        literal = stamp(exp.Literal(this=value, is_string=True), (sign or text).start, text.end)
        first = self.token
        unit, precision = self.interval_unit()
        last: str | None = None
        node: exp.Expression = self.stamped(exp.Var(this=unit), first)
        if self.accept("TO"):
            second = self.token
            last, _ = self.interval_unit()
            node = exp.IntervalSpan(this=node, expression=self.stamped(exp.Var(this=last), second))
            node = self.stamped(node, first)
        wrong = check_interval(value, unit, last, precision)
        if wrong is not None:
            digits = f"Write {unit}({len(value.strip('+-'))})." if "digits" in wrong else None
            self.refuse(wrong, self.span_from(text), digits)
        return self.stamped(exp.Interval(this=literal, unit=node), start)

    def _collection(self) -> exp.Expression | None:
        start = self.token
        if self.peek().key != "[":
            return None
        self.advance()
        self.advance()
        items = [] if self.at("]") else self.list_of(self.expression)
        self.close("]")
        if start.key == "ARRAY":
            return self.stamped(exp.Array(expressions=items), start)
        if start.key == "MULTISET":
            return self.function([start], items)
        if len(items) % 2:
            self.refuse(
                f"'{start.value}' has a key without a value.", self.span_from(start), "Write MAP[key, value, …]."
            )
        keys, values = exp.Array(expressions=items[::2]), exp.Array(expressions=items[1::2])
        return self.stamped(exp.Map(keys=keys, values=values), start)

    def _exists(self) -> exp.Expression:
        start = self.expect("EXISTS")
        self.expect("(")
        node = exp.Exists(this=self.query())
        self.expect(")")
        return self.stamped(node, start)

    def _extract(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        field = self._time_field(_EXTRACT_FIELDS)
        self.expect("FROM")
        value = self.expression()
        self.expect(")")
        return self.stamped(exp.Extract(this=field, expression=value), start)

    def _time_field(self, fields: tuple[str, ...]) -> exp.Var:
        token = self.token
        name = token.key.removeprefix("SQL_TSI_")
        if name not in fields:
            self.fail("a unit of time such as DAY")
        self.advance()
        return self.stamped(exp.Var(this=name), token)

    def _rounded(self) -> exp.Expression | None:
        """Read CEIL and FLOOR of a time."""
        start = self._opened()
        if start is None:
            return None
        arguments = self.list_of(self.expression)
        unit = self._time_field(_FIELDS) if self.accept("TO") else None
        self.expect(")")
        if unit is None:
            return self.function([start], arguments)
        build = exp.Floor if start.key == "FLOOR" else exp.Ceil
        return self.stamped(build(this=arguments[0], to=unit), start)

    def _trim(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        side = self.accept("BOTH", "LEADING", "TRAILING")
        characters: exp.Expression | None = None
        if side is None or not self.at("FROM"):
            characters = self.expression()
        if side is None and not self.at("FROM"):
            arguments = [characters] if characters is not None else []
            while self.accept(","):
                arguments.append(self.expression())
            self.expect(")")
            return self.function([start], arguments)
        self.expect("FROM")
        text = self.expression()
        self.expect(")")
        node = exp.Trim(this=text, expression=characters, position=side.key if side else "BOTH")
        return self.stamped(node, start)

    def _position(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        # `IN` ends the first operand, so only what binds more tightly may stand there.
        needle = self.sum()
        self.expect("IN")
        node = exp.StrPosition(this=self.expression(), substr=needle)
        self.expect(")")
        return self.stamped(node, start)

    def _substring(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        text = self.expression()
        if not self.accept("FROM"):
            arguments = [text]
            while self.accept(","):
                arguments.append(self.expression())
            self.expect(")")
            return self.function([start], arguments)
        node = exp.Substring(this=text, start=self.expression())
        if self.accept("FOR"):
            node.set("length", self.expression())
        self.expect(")")
        return self.stamped(node, start)

    def _overlay(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        node = exp.Overlay(this=self.expression())
        self.expect("PLACING")
        node.set("expression", self.expression())
        self.expect("FROM")
        node.set("from_", self.expression())
        if self.accept("FOR"):
            node.set("for_", self.expression())
        self.expect(")")
        return self.stamped(node, start)

    def _timestamp_arithmetic(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        arguments: list[exp.Expression] = [self._time_field(_FIELDS)]
        while self.accept(","):
            arguments.append(self.expression())
        self.expect(")")
        return self.function([start], arguments)

    def _json_object(self) -> exp.Expression | None:
        start = self._opened()
        if start is None:
            return None
        arguments: list[exp.Expression] = []
        while not self.at(")", "NULL", "ABSENT"):
            self.accept("KEY")
            arguments.append(self.expression())
            self.expect("VALUE")
            arguments.append(self.expression())
            if not self.accept(","):
                break
            if self.at(")"):
                self.fail("a key")
        arguments += self._json_clauses()
        self.expect(")")
        return self._aggregated(self.function([start], arguments), start)

    def _json_clauses(self) -> list[exp.Expression]:
        clauses: list[exp.Expression] = []
        while not self.at(")"):
            start = self.token
            value: exp.Expression
            if self.accept("RETURNING"):
                name, value = "RETURNING", self._type_node()
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


_SPECIAL: dict[str, Callable[[CallParser], exp.Expression | None]] = {
    "NULL": CallParser._constant,
    "UNKNOWN": CallParser._constant,
    "TRUE": CallParser._constant,
    "FALSE": CallParser._constant,
    "CASE": CallParser._case,
    "CAST": CallParser._cast,
    "TRY_CAST": CallParser._cast,
    "DATE": CallParser._temporal,
    "TIME": CallParser._temporal,
    "TIMESTAMP": CallParser._temporal,
    "INTERVAL": CallParser._interval_literal,
    "ARRAY": CallParser._collection,
    "MAP": CallParser._collection,
    "MULTISET": CallParser._collection,
    "EXISTS": CallParser._exists,
    "EXTRACT": CallParser._extract,
    "CEIL": CallParser._rounded,
    "CEILING": CallParser._rounded,
    "FLOOR": CallParser._rounded,
    "TRIM": CallParser._trim,
    "POSITION": CallParser._position,
    "SUBSTRING": CallParser._substring,
    "OVERLAY": CallParser._overlay,
    "TIMESTAMPADD": CallParser._timestamp_arithmetic,
    "TIMESTAMPDIFF": CallParser._timestamp_arithmetic,
    "JSON_OBJECT": CallParser._json_object,
    "JSON_OBJECTAGG": CallParser._json_object,
}
