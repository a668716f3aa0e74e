"""Expressions whose names are resolved and whose types are known; Spark can run all of them.

>>> from firesteel.types import BigInt, Int
>>> str(Call("+", (ColumnRef("a", BigInt()), Literal(1, Int(nullable=False))), BigInt()))
'a + 1'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from firesteel.types import CHARACTER, INTEGER, Boolean, DataType, Varchar

#: The value of a literal. DECIMAL numbers keep their text, so that no digit is lost.
LiteralValue = bool | int | float | str | bytes | None


@dataclass(frozen=True)
class ColumnRef:
    """A column of the node's input, by the name it has there."""

    name: str
    type: DataType

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Literal:
    """A constant. DECIMAL, date and time literals are held as text, in the form that Spark's CAST reads."""

    value: LiteralValue
    type: DataType

    def __str__(self) -> str:
        match self.value:
            case None:
                return "NULL"
            case bool():
                return str(self.value).upper()
            case bytes():
                return f"X'{self.value.hex().upper()}'"
            case str():
                return "'" + self.value.replace("'", "''") + "'"
            case _:
                return str(self.value)


@dataclass(frozen=True)
class Call:
    """A scalar function or an operator, by its name in `plan/function/table.py`."""

    function: str
    args: tuple[Expression, ...]
    type: DataType

    def __str__(self) -> str:
        if not self.function[0].isalpha():
            return f" {self.function} ".join(map(_operand, self.args)) if len(self.args) > 1 else self._prefix()
        return f"{self.function}({', '.join(map(str, self.args))})"

    def _prefix(self) -> str:
        return f"{self.function}{_operand(self.args[0])}"


@dataclass(frozen=True)
class Cast:
    """CAST; `safe` makes it TRY_CAST, which gives NULL where CAST fails."""

    operand: Expression
    type: DataType
    safe: bool = False

    def __str__(self) -> str:
        return f"{'TRY_' if self.safe else ''}CAST({self.operand} AS {self.type.sql})"


@dataclass(frozen=True)
class Case:
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression
    type: DataType

    def __str__(self) -> str:
        whens = " ".join(f"WHEN {when} THEN {then}" for when, then in self.branches)
        return f"CASE {whens} ELSE {self.otherwise} END"


Expression = ColumnRef | Literal | Call | Cast | Case


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate function over a column of the node's input; `argument` is None for COUNT(*)."""

    function: str
    argument: ColumnRef | None
    type: DataType
    distinct: bool = False
    filter: ColumnRef | None = None
    #: The separator of LISTAGG.
    separator: str | None = None

    def __str__(self) -> str:
        argument = "*" if self.argument is None else str(self.argument)
        if self.separator is not None:
            argument += f", '{self.separator}'"
        text = f"{self.function}({'DISTINCT ' if self.distinct else ''}{argument})"
        return f"{text} FILTER (WHERE {self.filter})" if self.filter else text


def _operand(expression: Expression) -> str:
    """Renders an operand of an operator, in parentheses if it is an operator itself."""
    nested = isinstance(expression, Call) and not expression.function[0].isalpha()
    return f"({expression})" if nested else str(expression)


def children(expression: Expression) -> tuple[Expression, ...]:
    """Returns the operands of an expression."""
    match expression:
        case Call(args=args):
            return args
        case Cast(operand=operand):
            return (operand,)
        case Case(branches=branches, otherwise=otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case ColumnRef() | Literal():
            return ()
        case _:
            assert_never(expression)


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """Splits a condition at its top-level ANDs."""
    if isinstance(condition, Call) and condition.function == "AND":
        return tuple(part for arg in condition.args for part in conjuncts(arg))
    return (condition,)


def conjunction(conditions: Sequence[Expression]) -> Expression:
    """Joins conditions with AND, as a balanced tree: a generated script can have thousands of them."""
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    return Call("AND", (conjunction(conditions[:middle]), conjunction(conditions[middle:])), Boolean())


def column_refs(expression: Expression) -> Iterator[ColumnRef]:
    """Finds every column that the expression reads."""
    if isinstance(expression, ColumnRef):
        yield expression
    for child in children(expression):
        yield from column_refs(child)


def column_names(*expressions: Expression) -> frozenset[str]:
    """Returns the names of all columns that the expressions read."""
    return frozenset(ref.name for expression in expressions for ref in column_refs(expression))


def calls_in(expression: Expression, wanted: frozenset[str]) -> Iterator[Call]:
    """Finds every call of one of these functions in the expression."""
    if isinstance(expression, Call) and expression.function in wanted:
        yield expression
    for child in children(expression):
        yield from calls_in(child, wanted)


def substitute(expression: Expression, swap: Callable[[Expression], Expression | None]) -> Expression:
    """Replaces every part of the expression for which `swap` returns another one, outer parts first."""
    swapped = swap(expression)
    if swapped is not None:
        return swapped
    match expression:
        case Call(args=args):
            return replace(expression, args=tuple(substitute(arg, swap) for arg in args))
        case Cast(operand=operand):
            return replace(expression, operand=substitute(operand, swap))
        case Case(branches=branches, otherwise=otherwise):
            return replace(
                expression,
                branches=tuple((substitute(when, swap), substitute(then, swap)) for when, then in branches),
                otherwise=substitute(otherwise, swap),
            )
        case ColumnRef() | Literal():
            return expression
        case _:
            assert_never(expression)


def distinguishing_column(expression: Expression) -> ColumnRef | None:
    """Returns the column that the expression maps to distinct values: the column itself, or a cast to a wider type of its kind."""
    match expression:
        case ColumnRef():
            return expression
        case Cast(operand=ColumnRef() as column, type=Varchar(length=length)) if isinstance(column.type, CHARACTER):
            return column if column.type.length <= length else None
        case Cast(operand=ColumnRef() as column, type=target) if isinstance(target, INTEGER):
            wider = isinstance(column.type, INTEGER) and INTEGER.index(type(column.type)) <= INTEGER.index(type(target))
            return column if wider else None
        case Literal() | Call() | Cast() | Case():
            return None
        case _:
            assert_never(expression)
