"""Reads special forms: syntaxes that start with a word of their own and have rules of their own, such as CASE and CAST."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from firesteel.sql.call import CallParser
from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.interval import UNITS, check_interval, literal_form, literal_type
from firesteel.sql.node import data_type, stamp
from firesteel.sql.token import Kind, Token

_FIELDS = (*UNITS, "MILLISECOND", "MICROSECOND", "NANOSECOND", "DECADE", "CENTURY", "MILLENNIUM")
_EXTRACT_FIELDS = (*_FIELDS, "EPOCH", "DOW", "ISODOW", "DOY", "ISOYEAR")


class SpecialFormParser(CallParser):
    def special(self) -> exp.Expression | None:
        """Read a syntax that starts with a word of its own, such as CAST; None if there is none here."""
        read = _SPECIAL.get(self.token.key)
        return read(self) if read is not None else None

    def _opened(self) -> Token | None:
        """Read `name (` and return the name; None if no parenthesis follows."""
        if self.peek().key != "(":
            return None
        name = self.advance()
        self.advance()
        return name

    # --- each returns None when the word is used as the name of an ordinary function or column -----------------------

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
        to = self.type_node()
        self.expect(")")
        build = exp.TryCast if start.key == "TRY_CAST" else exp.Cast
        return self.stamped(build(this=value, to=to), start)

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
        arguments += self.json_clauses()
        self.expect(")")
        return self.aggregated(self.function([start], arguments), start)


_SPECIAL: dict[str, Callable[[SpecialFormParser], exp.Expression | None]] = {
    "NULL": SpecialFormParser._constant,
    "UNKNOWN": SpecialFormParser._constant,
    "TRUE": SpecialFormParser._constant,
    "FALSE": SpecialFormParser._constant,
    "CASE": SpecialFormParser._case,
    "CAST": SpecialFormParser._cast,
    "TRY_CAST": SpecialFormParser._cast,
    "DATE": SpecialFormParser._temporal,
    "TIME": SpecialFormParser._temporal,
    "TIMESTAMP": SpecialFormParser._temporal,
    "INTERVAL": SpecialFormParser._interval_literal,
    "ARRAY": SpecialFormParser._collection,
    "MAP": SpecialFormParser._collection,
    "MULTISET": SpecialFormParser._collection,
    "EXISTS": SpecialFormParser._exists,
    "EXTRACT": SpecialFormParser._extract,
    "CEIL": SpecialFormParser._rounded,
    "CEILING": SpecialFormParser._rounded,
    "FLOOR": SpecialFormParser._rounded,
    "TRIM": SpecialFormParser._trim,
    "POSITION": SpecialFormParser._position,
    "SUBSTRING": SpecialFormParser._substring,
    "OVERLAY": SpecialFormParser._overlay,
    "TIMESTAMPADD": SpecialFormParser._timestamp_arithmetic,
    "TIMESTAMPDIFF": SpecialFormParser._timestamp_arithmetic,
    "JSON_OBJECT": SpecialFormParser._json_object,
    "JSON_OBJECTAGG": SpecialFormParser._json_object,
}
