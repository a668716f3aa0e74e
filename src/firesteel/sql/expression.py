"""Reads expressions, with Flink's precedences and special syntaxes, into sqlglot trees.

Nothing is renamed or rewritten: a function called in ordinary syntax is an `exp.Anonymous` with the name of the script in
capitals and the arguments in their order. Other syntax becomes:

    CAST(x AS T), TRY_CAST(x AS T)           exp.Cast / exp.TryCast(this, to); `cast_type(to)` is our type
    DATE 'd', TIME 't', TIMESTAMP 'ts'       exp.Cast(string literal, to); `cast_type` is NOT NULL, precision as written
    INTERVAL '1' DAY, … DAY TO SECOND        exp.Interval(string literal with its sign, unit); the unit is an exp.Var or
                                             an exp.IntervalSpan of two
    CASE [x] WHEN a THEN b ELSE c END        exp.Case(this, ifs=[exp.If(this, true)], default)
    x [NOT] BETWEEN a AND b                  exp.Between(this, low, high, symmetric); NOT is always an exp.Not around
    x [NOT] IN (a, b), IN (query)            exp.In(this, expressions) or exp.In(this, query=exp.Subquery)
    x [NOT] LIKE y [ESCAPE z], SIMILAR TO    exp.Like / exp.SimilarTo, in an exp.Escape if there is one
    x IS [NOT] NULL, TRUE, FALSE, UNKNOWN    exp.Is(this, exp.Null or exp.Boolean); UNKNOWN is NULL
    x IS [NOT] DISTINCT FROM y               exp.NullSafeNEQ / exp.NullSafeEQ
    x IS [NOT] JSON [kind]                   exp.Is(this, exp.JSON(this=kind))
    EXISTS (query), (query), (a, b), (a)     exp.Exists, exp.Subquery, exp.Tuple, exp.Paren
    ARRAY[a], MAP[k, v], a[1], f(x).b        exp.Array, exp.Map(keys, values: exp.Array), exp.Bracket, exp.Dot
    a, a.b, a.b.c, a.b.c.d                   exp.Column(this, table, db, catalog), from the right; further names exp.Dot
    EXTRACT(YEAR FROM x)                     exp.Extract(this=exp.Var, expression)
    CEIL(x TO HOUR), FLOOR(x TO HOUR)        exp.Ceil / exp.Floor(this, to=exp.Var)
    TRIM(BOTH 'x' FROM s)                    exp.Trim(this=s, expression='x', position)
    POSITION(a IN b)                         exp.StrPosition(this=b, substr=a)
    SUBSTRING(s FROM a FOR b)                exp.Substring(this, start, length)
    OVERLAY(a PLACING b FROM c FOR d)        exp.Overlay(this, expression, from_, for_)
    COUNT(*), COUNT(DISTINCT a, b)           exp.Anonymous with one exp.Star or exp.Distinct(expressions)
    f(x) FILTER (WHERE c)                    exp.Filter(this, exp.Where)
    f(x) WITHIN GROUP (ORDER BY y)           exp.WithinGroup(this, exp.Order)
    f(x) OVER (…), OVER w                    exp.Window(this, partition_by, order, spec=exp.WindowSpec), or with alias=w
    TIMESTAMPADD(MINUTE, 1, x)               exp.Anonymous, the unit an exp.Var
    CURRENT_TIMESTAMP and the like           exp.Anonymous without arguments
    f(a => x)                                exp.Kwarg(exp.Var, x) as an argument
    JSON_VALUE(x, p RETURNING T NULL ON …)   exp.Anonymous; the clauses follow as exp.Kwarg named RETURNING (a type),
                                             WRAPPER, ON_EMPTY, ON_ERROR or ON_NULL (an exp.Var, or the expression
                                             of DEFAULT)
    JSON_OBJECT('k' VALUE v, …)              exp.Anonymous of k, v, k, v, …
    X'1F', U&'\\00e9'                         exp.HexString, string literal

AND and OR over many conditions make a balanced tree instead of a deep one; other chains lean to the left.
"""

from __future__ import annotations

from sqlglot import exp

from firesteel.sql.cursor import MAX_CHAIN
from firesteel.sql.node import span_of, stamp
from firesteel.sql.reserved import STRUCTURAL
from firesteel.sql.special_form import SpecialFormParser
from firesteel.sql.token import Kind, Token

_OR, _AND, _NOT, _IS, _COMPARISON, _RANGE, _SUM, _PRODUCT, _SIGN = 22, 24, 26, 28, 30, 32, 40, 60, 80

_BINARY: dict[str, tuple[int, type[exp.Expression]]] = {
    "=": (_COMPARISON, exp.EQ),
    "<>": (_COMPARISON, exp.NEQ),
    "!=": (_COMPARISON, exp.NEQ),
    "<": (_COMPARISON, exp.LT),
    "<=": (_COMPARISON, exp.LTE),
    ">": (_COMPARISON, exp.GT),
    ">=": (_COMPARISON, exp.GTE),
    "OVERLAPS": (_COMPARISON, exp.Overlaps),
    "+": (_SUM, exp.Add),
    "-": (_SUM, exp.Sub),
    "*": (_PRODUCT, exp.Mul),
    "/": (_PRODUCT, exp.Div),
    "%": (_PRODUCT, exp.Mod),
    "||": (_PRODUCT, exp.DPipe),
}
_RANGES = ("BETWEEN", "IN", "LIKE", "SIMILAR")

#: AND and OR chains longer than this are balanced; shorter ones keep sqlglot's usual left-leaning shape.
_BALANCED_FROM = 32


#: Functions that are called without parentheses.
_BARE = (
    "CURRENT_TIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "CURRENT_USER",
    "SESSION_USER",
    "SYSTEM_USER",
    "USER",
    "CURRENT_CATALOG",
    "CURRENT_DATABASE",
    "CURRENT_SCHEMA",
    "CURRENT_ROLE",
    "CURRENT_PATH",
)


class ExpressionParser(SpecialFormParser):
    def expression(self) -> exp.Expression:
        self.enter()
        node = self._operators(0)
        self.leave()
        return node

    def sum(self) -> exp.Expression:
        return self._operators(_RANGE + 1)

    # --- operators ------------------------------------------------------------------------------------------------

    def _operators(self, lowest: int) -> exp.Expression:
        """Read an expression out of operators that bind at least as tightly as `lowest`."""
        start = self.token
        left = self._prefixed()
        length = 0
        while True:
            key = self.token.key
            if key in ("AND", "OR"):
                precedence = _AND if key == "AND" else _OR
                if precedence < lowest:
                    return left
                left = self._connected(key, precedence, left)
                continue
            length += 1
            if length > MAX_CHAIN:
                self.refuse(
                    f"'{self.raw(self.token)}' is the {length}th operator in a row; {MAX_CHAIN} are allowed.",
                    self.token.span,
                    hint="Group parts of the expression in parentheses.",
                )
            if key in _BINARY:
                precedence, build = _BINARY[key]
                if precedence < lowest:
                    return left
                self.advance()
                left = self.stamped(build(this=left, expression=self._operators(precedence + 1)), start)
            elif key == "IS":
                if lowest > _IS:
                    return left
                left = self._is(left, start)
            elif key in _RANGES or (key == "NOT" and self.peek().key in _RANGES):
                if lowest > _RANGE:
                    return left
                left = self._range(left, start)
            else:
                return left

    def _connected(self, key: str, precedence: int, first: exp.Expression) -> exp.Expression:
        operands = [first]
        while self.accept(key):
            operands.append(self._operators(precedence + 1))
        build: type[exp.Expression] = exp.And if key == "AND" else exp.Or
        return _connect(build, operands)

    def _prefixed(self) -> exp.Expression:
        start = self.token
        if start.key not in ("NOT", "-", "+"):
            return self._postfixed()
        self.enter()
        self.advance()
        node: exp.Expression
        if start.key == "NOT":
            node = self.stamped(exp.Not(this=self._operators(_NOT + 1)), start)
        else:
            node = self._operators(_SIGN)
            if start.key == "-":
                node = self.stamped(exp.Neg(this=node), start)
        self.leave()
        return node

    def _is(self, left: exp.Expression, start: Token) -> exp.Expression:
        self.expect("IS")
        negated = self.accept("NOT") is not None
        node: exp.Expression
        if self.accept("DISTINCT"):
            self.expect("FROM")
            build = exp.NullSafeEQ if negated else exp.NullSafeNEQ
            return self.stamped(build(this=left, expression=self._operators(_COMPARISON + 1)), start)
        word = self.accept("NULL", "UNKNOWN", "TRUE", "FALSE", "JSON")
        if word is None:
            self.fail("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM")
        right: exp.Expression
        if word.key == "JSON":
            kind = self.accept("VALUE", "OBJECT", "ARRAY", "SCALAR")
            right = exp.JSON(this=kind.key if kind else None)
        elif word.key in ("TRUE", "FALSE"):
            right = exp.Boolean(this=word.key == "TRUE")
        else:
            right = exp.Null()
        node = self.stamped(exp.Is(this=left, expression=stamp(right, word.start, self.previous.end)), start)
        return self.stamped(exp.Not(this=node), start) if negated else node

    def _range(self, left: exp.Expression, start: Token) -> exp.Expression:
        negated = self.accept("NOT") is not None
        word = self.advance()
        node: exp.Expression
        if word.key == "BETWEEN":
            symmetric = self.accept("SYMMETRIC", "ASYMMETRIC")
            low = self.sum()
            self.expect("AND")
            high = self.sum()
            node = exp.Between(this=left, low=low, high=high)
            if symmetric is not None and symmetric.key == "SYMMETRIC":
                node.set("symmetric", True)
        elif word.key == "IN":
            node = self._in(left)
        else:
            if word.key == "SIMILAR":
                self.expect("TO")
            right = self.sum()
            node = (exp.Like if word.key == "LIKE" else exp.SimilarTo)(this=left, expression=right)
            if self.accept("ESCAPE"):
                node = self.stamped(node, start)
                node = exp.Escape(this=node, expression=self.sum())
        node = self.stamped(node, start)
        return self.stamped(exp.Not(this=node), start) if negated else node

    def _in(self, left: exp.Expression) -> exp.Expression:
        opening = self.expect("(")
        if self.at("SELECT", "WITH", "VALUES"):
            query = self.query()
            self.expect(")")
            return exp.In(this=left, query=self.stamped(exp.Subquery(this=query), opening))
        values = self.list_of(self.expression)
        self.close(")")
        return exp.In(this=left, expressions=values)

    # --- operands -------------------------------------------------------------------------------------------------

    def _postfixed(self) -> exp.Expression:
        start = self.token
        node = self._operand()
        length = 0
        while self.token.key in ("[", "."):
            length += 1
            if length > MAX_CHAIN:
                self.fail("the end of the expression")
            if self.accept("["):
                index = self.expression()
                self.expect("]")
                node = self.stamped(exp.Bracket(this=node, expressions=[index]), start)
            else:
                self.advance()
                node = self.stamped(exp.Dot(this=node, expression=self.identifier("a field name")), start)
        return node

    def _operand(self) -> exp.Expression:
        token = self.token
        if token.kind is Kind.WORD:
            return self._word()
        if token.kind is Kind.NAME:
            return self._reference()
        if token.kind is Kind.STRING:
            self.advance()
            return self.stamped(exp.Literal(this=token.value, is_string=True), token)
        if token.kind is Kind.NUMBER:
            self.advance()
            return self.stamped(exp.Literal(this=token.value, is_string=False), token)
        if token.kind is Kind.HEX:
            self.advance()
            return self.stamped(exp.HexString(this=token.value), token)
        if token.key == "(":
            return self._parenthesis()
        self.fail("an expression")

    def _parenthesis(self) -> exp.Expression:
        start = self.expect("(")
        if self.at("SELECT", "WITH", "VALUES"):
            query = self.query()
            self.expect(")")
            return self.stamped(exp.Subquery(this=query), start)
        items = self.list_of(self.expression)
        self.close(")")
        return self.stamped(exp.Paren(this=items[0]) if len(items) == 1 else exp.Tuple(expressions=items), start)

    def _word(self) -> exp.Expression:
        token = self.token
        following = self.peek()
        node = self.special()
        if node is not None:
            return node
        if following.key == "(" and token.key not in STRUCTURAL:
            self.advance()
            return self.call([token])
        if token.key in _BARE:
            self.advance()
            return self.function([token], [])
        return self._reference()

    def _reference(self) -> exp.Expression:
        """Read a column with its qualifiers, or a call of a function with its qualifiers."""
        start = self.token
        if start.kind is Kind.NAME and self.peek().key == "(":
            self.advance()
            return self.call([start])
        parts = [self.identifier("an expression")]
        tokens = [start]
        while self.token.key == "." and len(parts) <= MAX_CHAIN:
            self.advance()
            tokens.append(self.token)
            if self.peek().key == "(" and self.token.kind in (Kind.WORD, Kind.NAME):
                self.advance()
                return self.call(tokens)
            parts.append(self.identifier("a field name"))
        names = dict(zip(("catalog", "db", "table", "this")[-len(parts) :], parts, strict=False))
        node: exp.Expression = exp.Column(**dict(reversed(names.items())))
        last = min(len(parts), 4)
        node = stamp(node, start.start, tokens[last - 1].end)
        for token, part in zip(tokens[4:], parts[4:], strict=True):
            node = stamp(exp.Dot(this=node, expression=part), start.start, token.end)
        return node


def _connect(build: type[exp.Expression], operands: list[exp.Expression]) -> exp.Expression:
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) - 1 if len(operands) <= _BALANCED_FROM else len(operands) // 2
    left, right = _connect(build, operands[:middle]), _connect(build, operands[middle:])
    node = build(this=left, expression=right)
    first, last = span_of(left), span_of(right)
    assert first is not None and last is not None
    return stamp(node, first.start, last.end)
