"""Syntax to expression: names are looked up, functions found, types worked out by Flink's rules.

What is not supported is refused here, with its position, never later inside Spark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from firesteel.catalog.cast import explicit_cast
from firesteel.errors import Span
from firesteel.options.spelling import nearest
from firesteel.plan.expression import Call, Case, Cast, Expression, Literal
from firesteel.plan.function.absent import ABSENT, ELSEWHERE
from firesteel.plan.function.aggregate import aggregate_names, find_aggregate
from firesteel.plan.function.interval import interval_value
from firesteel.plan.function.operator import field_type
from firesteel.plan.function.python import PythonFunction, bound_function
from firesteel.plan.function.signature import ArgumentError, Arguments
from firesteel.plan.function.signature import to_type as to_type
from firesteel.plan.function.table import OPERATOR_NAMES, find_function, function_names
from firesteel.plan.function.time import EXTRACTED_PARTS
from firesteel.plan.resolve.expression.json_clause import JSON_CALLS, json_arguments
from firesteel.plan.resolve.mistake import Mistake, count, suggest
from firesteel.plan.resolve.scope import AmbiguousColumn, Scope, UnknownColumn
from firesteel.plan.type_rule import common_type
from firesteel.sql.node import cast_type, span_of, written_name
from firesteel.types import BigInt, Binary, Boolean, Char, DataType, Decimal, Double, Int, Interval, Null, Row

_CONFLUENTS_TIME = "$rowtime"

_OPERATORS: dict[type[exp.Expression], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "AND",
    exp.Or: "OR",
    exp.DPipe: "||",
}


#: The functions of a window in GROUP BY, which only stand in a query that has it.
_OF_WINDOWS = frozenset(
    f"{window}{part}"
    for window in ("TUMBLE", "HOP", "SESSION")
    for part in ("", "_START", "_END", "_ROWTIME", "_PROCTIME")
)


class UnknownName(Mistake):
    """A name that no table of the query has; one of a query around it could."""

    def __init__(self, mistake: Mistake, name: str, written: str) -> None:
        super().__init__(mistake.problem.message, mistake.problem.span, mistake.problem.hint)
        self.name, self.written = name, written


class ExpressionResolver:
    """Resolves the expressions of one clause against one scope.

    `clause` names the clause in messages where aggregates are not allowed.
    """

    def __init__(self, scope: Scope, clause: str) -> None:
        self.scope = scope
        self.clause = clause

    def resolve(self, node: exp.Expression) -> Expression:
        if isinstance(node, exp.Query):
            raise Mistake(
                "A query in the place of a value is not supported yet.",
                span_of(node),
                "Write it into FROM as a table of its own, and join it with '='.",
            )
        if isinstance(node, exp.Exists):
            raise Mistake("EXISTS is supported in WHERE only.", span_of(node), "Move it there, or write a LEFT JOIN.")
        for kind, method in _METHODS.items():
            if isinstance(node, kind):
                return method(self, node)
        if isinstance(node, tuple(_OPERATORS)):
            return self._operator(node)
        raise Mistake("This expression is not supported yet.", span_of(node))

    def condition(self, node: exp.Expression) -> Expression:
        """An expression that has to be a condition."""
        resolved = self.resolve(node)
        if not isinstance(resolved.type, Boolean | Null):
            raise Mistake(
                f"'{_text(node)}' is of type {resolved.type.sql} and {self.clause} needs a condition.",
                span_of(node),
                "Compare it with something, for example with '=' or IS NOT NULL.",
            )
        return resolved

    # -- names -----------------------------------------------------------------------------------------------------

    def _column(self, node: exp.Column) -> Expression:
        parts = [part.name for part in node.parts]
        return self._path(parts, node)

    def _dot(self, node: exp.Dot) -> Expression:
        """`a.b.c`, where sqlglot saw more dots than a column can have, or a field of a bracketed value."""
        if isinstance(node.this, exp.Column | exp.Dot) and isinstance(node.expression, exp.Identifier):
            parts: list[str] = []
            inner: exp.Expression = node
            while isinstance(inner, exp.Dot):
                parts.insert(0, inner.expression.name)
                inner = inner.this
            if isinstance(inner, exp.Column):
                return self._path([*(part.name for part in inner.parts), *parts], node)
        row = self.resolve(node.this)
        return self._field(row, node.expression.name, node)

    def _path(self, parts: list[str], node: exp.Expression) -> Expression:
        if len(parts) > 1 and self.scope.has_relation(parts[0]):
            found = self._lookup(parts[1], parts[0], node)
            rest = parts[2:]
        else:
            found = self._lookup(parts[0], None, node)
            rest = parts[1:]
        for name in rest:
            found = self._field(found, name, node)
        return found

    def _lookup(self, name: str, relation: str | None, node: exp.Expression) -> Expression:
        try:
            return self.scope.find(name, relation)
        except UnknownColumn as unknown:
            where = f" in '{relation}'" if relation else ""
            if name == _CONFLUENTS_TIME:
                raise Mistake(
                    f"'{name}' is a column that Confluent adds, which is not supported yet.",
                    span_of(node),
                    "Declare it in the table: event_time TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'.",
                ) from None
            known = f"The columns are {', '.join(dict.fromkeys(unknown.known))}." if unknown.known else None
            problem = Mistake(f"'{name}' is not a column{where}.", span_of(node), suggest(name, unknown.known, known))
            raise UnknownName(problem, name, _text(node)) from None
        except AmbiguousColumn as ambiguous:
            raise Mistake(
                f"'{name}' is a column of {' and of '.join(repr(one) for one in ambiguous.relations)}.",
                span_of(node),
                f"Say which, for example {ambiguous.relations[0]}.{name}.",
            ) from None

    def _field(self, row: Expression, name: str, node: exp.Expression) -> Expression:
        found = field_type(row.type, name)
        if found is None:
            fields = [field.name for field in row.type.fields] if isinstance(row.type, Row) else []
            message = (
                f"'{row}' has no field '{name}'." if fields else f"'{row}' is of type {row.type.sql} and has no fields."
            )
            known = f"Its fields are {', '.join(fields)}." if fields else None
            raise Mistake(message, span_of(node), suggest(name, fields, known))
        return Call("FIELD", (row, Literal(name, Char(len(name), nullable=False))), found)

    # -- literals --------------------------------------------------------------------------------------------------

    def _literal(self, node: exp.Literal) -> Expression:
        if node.is_string:
            return Literal(node.this, Char(max(1, len(node.this)), nullable=False))
        return _number(node.this, span_of(node))

    def _hexadecimal(self, node: exp.HexString) -> Expression:
        value = bytes.fromhex(node.this)
        return Literal(value, Binary(max(1, len(value)), nullable=False))

    def _boolean(self, node: exp.Boolean) -> Expression:
        return Literal(bool(node.this), Boolean(nullable=False))

    def _null(self, node: exp.Null) -> Expression:
        return Literal(None, Null())

    def _interval(self, node: exp.Interval) -> Expression:
        unit = node.args["unit"]
        first, last = (unit.this, unit.expression) if isinstance(unit, exp.IntervalSpan) else (unit, unit)
        value, months = interval_value(node.this.this, first.name.upper(), last.name.upper())
        return Literal(value, Interval(months=months, nullable=False))

    # -- operators -------------------------------------------------------------------------------------------------

    def _operator(self, node: exp.Expression) -> Expression:
        function = next(name for kind, name in _OPERATORS.items() if isinstance(node, kind))
        return self.call(function, [node.this, node.expression], node)

    def _not(self, node: exp.Not) -> Expression:
        return self.call("NOT", [node.this], node)

    def _paren(self, node: exp.Paren) -> Expression:
        return self.resolve(node.this)

    def _neg(self, node: exp.Neg) -> Expression:
        operand = node.this
        if isinstance(operand, exp.Literal) and not operand.is_string:
            return _number(f"-{operand.this}", span_of(node))
        return self.call("NEGATIVE", [operand], node)

    def _is(self, node: exp.Is) -> Expression:
        right = node.expression
        if isinstance(right, exp.Null):
            return self.call("IS NULL", [node.this], node)
        if isinstance(right, exp.Boolean):
            return self.call("IS TRUE" if right.this else "IS FALSE", [node.this], node)
        if isinstance(right, exp.JSON):
            return self.built("IS JSON", (self.resolve(node.this), _word(right.this or "VALUE")), node)
        raise Mistake("This expression is not supported yet.", span_of(node))

    def _null_safe(self, node: exp.NullSafeEQ) -> Expression:
        return self.call("IS NOT DISTINCT FROM", [node.this, node.expression], node)

    def _null_unsafe(self, node: exp.NullSafeNEQ) -> Expression:
        same = self.call("IS NOT DISTINCT FROM", [node.this, node.expression], node)
        return Call("NOT", (same,), same.type)

    def _between(self, node: exp.Between) -> Expression:
        value, low, high = (self.resolve(part) for part in (node.this, node.args["low"], node.args["high"]))
        upwards = self._within(value, low, high, node)
        if not node.args.get("symmetric"):
            return upwards
        return self.built("OR", (upwards, self._within(value, high, low, node)), node)

    def _within(self, value: Expression, low: Expression, high: Expression, node: exp.Expression) -> Expression:
        above, below = self.built(">=", (value, low), node), self.built("<=", (value, high), node)
        return self.built("AND", (above, below), node)

    def _in(self, node: exp.In) -> Expression:
        if node.args.get("query") is not None or not node.expressions:
            raise Mistake(
                "IN with a query is supported as a condition of its own in WHERE only.",
                span_of(node),
                "List the values, or write a join.",
            )
        return self.call("IN", [node.this, *node.expressions], node)

    def _like(self, node: exp.Like) -> Expression:
        return self.call("LIKE", [node.this, node.expression], node)

    def _similar(self, node: exp.SimilarTo) -> Expression:
        return self.call("SIMILAR TO", [node.this, node.expression], node)

    def _escape(self, node: exp.Escape) -> Expression:
        pattern = node.this
        name = "SIMILAR TO" if isinstance(pattern, exp.SimilarTo) else "LIKE"
        return self.call(name, [pattern.this, pattern.expression, node.expression], node)

    def _bracket(self, node: exp.Bracket) -> Expression:
        return self.call("ITEM", [node.this, *node.expressions], node)

    def _tuple(self, node: exp.Tuple) -> Expression:
        return self.call("ROW", node.expressions, node)

    def _array(self, node: exp.Array) -> Expression:
        return self.call("ARRAY", node.expressions, node)

    def _map(self, node: exp.Map) -> Expression:
        pairs = zip(node.args["keys"].expressions, node.args["values"].expressions, strict=True)
        return self.call("MAP", [part for pair in pairs for part in pair], node)

    def _case(self, node: exp.Case) -> Expression:
        subject = node.this
        branches = []
        for branch in node.args["ifs"]:
            if subject is not None:
                when = self.call("=", [subject, branch.this], branch)
                for value in branch.args.get("others") or ():
                    when = self.built("OR", (when, self.call("=", [subject, value], branch)), branch)
            else:
                when = self.condition(branch.this)
            branches.append((when, self.resolve(branch.args["true"])))
        default = node.args.get("default")
        otherwise = self.resolve(default) if default is not None else Literal(None, Null())
        result: DataType = otherwise.type
        for _, then in branches:
            wider = common_type(result, then.type)
            if wider is None:
                raise Mistake(
                    f"The branches of this CASE are of types {result.sql} and {then.type.sql}.",
                    span_of(node),
                    "CAST them to one type.",
                )
            result = wider
        return Case(tuple((when, to_type(then, result)) for when, then in branches), to_type(otherwise, result), result)

    def _cast(self, node: exp.Cast) -> Expression:
        operand = self.resolve(node.this)
        target = cast_type(node.to)
        safe = isinstance(node, exp.TryCast)
        if not explicit_cast(operand.type, target):
            raise Mistake(f"{operand.type.sql} cannot be cast to {target.sql}.", span_of(node))
        return Cast(operand, target.with_nullable(safe or operand.type.nullable), safe)

    # -- functions with a syntax of their own ------------------------------------------------------------------------

    def _extract(self, node: exp.Extract) -> Expression:
        return self.built("EXTRACT", (_word(node.name), self.resolve(node.expression)), node)

    def _rounded(self, node: exp.Floor | exp.Ceil) -> Expression:
        name = "FLOOR TO" if isinstance(node, exp.Floor) else "CEIL TO"
        return self.built(name, (_word(node.args["to"].name), self.resolve(node.this)), node)

    def _trim(self, node: exp.Trim) -> Expression:
        side = node.args["position"]
        signs = node.expression
        characters = self.resolve(signs) if signs is not None else Literal(" ", Char(1, nullable=False))
        return self.built(f"TRIM {side}", (self.resolve(node.this), characters), node)

    def _position(self, node: exp.StrPosition) -> Expression:
        return self.call("POSITION", [node.args["substr"], node.this], node)

    def _substring(self, node: exp.Substring) -> Expression:
        length = node.args.get("length")
        return self.call("SUBSTRING", [node.this, node.args["start"], *([length] if length is not None else [])], node)

    def _overlay(self, node: exp.Overlay) -> Expression:
        parts = (node.this, node.expression, node.args["from_"], node.args.get("for_"))
        return self.call("OVERLAY", [part for part in parts if part is not None], node)

    # -- functions -------------------------------------------------------------------------------------------------

    def _function(self, node: exp.Anonymous) -> Expression:
        name = node.name.upper()
        if find_aggregate(name):
            raise Mistake(
                f"'{name}' is an aggregate and cannot stand in {self.clause}.",
                span_of(node),
                "Use HAVING to filter groups." if self.clause == "WHERE" else None,
            )
        function = bound_function(node)
        if function is not None:
            return self._python(function, node)
        if name == "IF" and len(node.expressions) == 3:
            when, then, otherwise = node.expressions
            return self._case(exp.Case(ifs=[exp.If(this=when, true=then)], default=otherwise))
        if name in OPERATOR_NAMES:
            raise Mistake(f"'{written_name(node)}' is an operator and is not called like a function.", span_of(node))
        if name in ABSENT:
            raise Mistake(f"'{written_name(node)}' is a function of Flink that is not supported yet.", span_of(node))
        if name in _OF_WINDOWS:
            raise Mistake(
                f"'{written_name(node)}' cannot stand in {self.clause} here: its window is not in GROUP BY.",
                span_of(node),
                "Write GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE), or FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), …)).",
            )
        if name == "ROW_NUMBER":
            raise Mistake(
                "'ROW_NUMBER' needs OVER (…).", span_of(node), "Write ROW_NUMBER() OVER (PARTITION BY … ORDER BY …)."
            )
        if name in JSON_CALLS:
            return self.built(name, json_arguments(name, node, self.resolve), node)
        if name in ("TIMESTAMPADD", "TIMESTAMPDIFF") and len(node.expressions) == 3:
            unit, *others = node.expressions
            return self.built(name, (_word(unit.name), *(self.resolve(other) for other in others)), node)
        return self.call(name, node.expressions, node)

    def _python(self, function: PythonFunction, node: exp.Anonymous) -> Expression:
        if function.is_refused:
            return Literal(None, Null())
        given = len(node.expressions)
        if given < function.least or (function.most is not None and given > function.most):
            raise Mistake(
                f"'{written_name(node)}' has {count(given, 'argument')} and takes {_arity(function.least, function.most)}.",
                span_of(node),
            )
        path = Literal(function.path, Char(len(function.path), nullable=False))
        args = tuple(self.resolve(argument) for argument in node.expressions)
        for place, (arg, argument) in enumerate(zip(args, node.expressions, strict=True)):
            wanted = function.misfit(place, arg.type)
            if wanted is not None:
                raise Mistake(
                    f"Argument {place + 1} of '{written_name(node)}' is of type {arg.type.sql}, and its annotation is"
                    f" '{wanted}'.",
                    span_of(argument) or span_of(node),
                    "CAST it, or change the annotation.",
                )
        return Call("PYTHON", (path, *args), function.result)

    def call(self, name: str, arguments: list[Any], node: exp.Expression) -> Expression:
        function = find_function(name)
        if function is None:
            written = written_name(node) if isinstance(node, exp.Anonymous) else name
            raise Mistake(f"'{written}' is not a function.", span_of(node), _suggest_function(name))
        if len(arguments) < function.least or (function.most is not None and len(arguments) > function.most):
            raise Mistake(
                f"'{name}' has {count(len(arguments), 'argument')} and takes {_arity(function.least, function.most)}.",
                span_of(node),
            )
        return self.built(name, tuple(self.resolve(argument) for argument in arguments), node)

    def built(self, name: str, args: Arguments, node: exp.Expression) -> Expression:
        """A call of a function that is known to exist, with as many arguments as it takes."""
        if name in EXTRACTED_PARTS:
            name, args = "EXTRACT", (_word(EXTRACTED_PARTS[name]), *args)
        function = find_function(name)
        assert function is not None
        try:
            result = function.result(args)
        except ArgumentError as error:
            raise Mistake(f"'{name}' {error}, and has ({function.shown(args)}).", span_of(node), error.hint) from None
        return Call(function.name, function.fit(args, result), result)


def _suggest_function(name: str) -> str | None:
    """The function that was meant: one of another database by its name in Flink, or one that is a slip of the finger away."""
    names = [*function_names(), *aggregate_names(), *ELSEWHERE, *ABSENT]
    meant = name if name in ELSEWHERE else nearest(name, names)
    # What cannot be called here is no advice.
    return None if meant is None or meant in ABSENT else f"Write '{ELSEWHERE.get(meant, meant)}'."


def _word(word: str) -> Literal:
    """A word of the syntax, such as a unit of time, as an argument."""
    return Literal(word.upper(), Char(len(word), nullable=False))


def _number(text: str, span: Span | None) -> Literal:
    """A number literal as Flink types it: INT, BIGINT, DECIMAL; DOUBLE with an exponent."""
    if "e" in text.lower():
        return Literal(float(text), Double(nullable=False))
    # Python refuses to read more than 4300 digits; 20 are more than BIGINT has.
    if "." not in text and len(text) <= 20:
        value = int(text)
        if -(2**31) <= value < 2**31:
            return Literal(value, Int(nullable=False))
        if -(2**63) <= value < 2**63:
            return Literal(value, BigInt(nullable=False))
    digits = text.lstrip("-").replace(".", "").lstrip("0")
    scale = len(text.partition(".")[2])
    precision = max(len(digits), scale, 1)
    if precision > 38:
        raise Mistake(f"'{text}' has more than the 38 digits a DECIMAL can hold.", span)
    return Literal(text, Decimal(precision, scale, nullable=False))


def _arity(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _text(node: exp.Expression) -> str:
    """A short text of the node for a message."""
    text = node.sql()
    return text if len(text) <= 60 else text[:57] + "..."


_METHODS: dict[type[exp.Expression], Callable[[ExpressionResolver, Any], Expression]] = {
    exp.Column: ExpressionResolver._column,
    exp.Dot: ExpressionResolver._dot,
    exp.Literal: ExpressionResolver._literal,
    exp.HexString: ExpressionResolver._hexadecimal,
    exp.Boolean: ExpressionResolver._boolean,
    exp.Null: ExpressionResolver._null,
    exp.Interval: ExpressionResolver._interval,
    exp.Not: ExpressionResolver._not,
    exp.Paren: ExpressionResolver._paren,
    exp.Neg: ExpressionResolver._neg,
    exp.Is: ExpressionResolver._is,
    exp.NullSafeEQ: ExpressionResolver._null_safe,
    exp.NullSafeNEQ: ExpressionResolver._null_unsafe,
    exp.Between: ExpressionResolver._between,
    exp.In: ExpressionResolver._in,
    exp.Like: ExpressionResolver._like,
    exp.SimilarTo: ExpressionResolver._similar,
    exp.Escape: ExpressionResolver._escape,
    exp.Bracket: ExpressionResolver._bracket,
    exp.Array: ExpressionResolver._array,
    exp.Map: ExpressionResolver._map,
    exp.Case: ExpressionResolver._case,
    exp.Cast: ExpressionResolver._cast,
    exp.Tuple: ExpressionResolver._tuple,
    exp.Extract: ExpressionResolver._extract,
    exp.Floor: ExpressionResolver._rounded,
    exp.Ceil: ExpressionResolver._rounded,
    exp.Trim: ExpressionResolver._trim,
    exp.StrPosition: ExpressionResolver._position,
    exp.Substring: ExpressionResolver._substring,
    exp.Overlay: ExpressionResolver._overlay,
    exp.Anonymous: ExpressionResolver._function,
}
