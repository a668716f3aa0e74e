"""Defines a row of the function tables: name, parameters, and the rule for the type of a call.

>>> from firesteel.plan.expression import Literal
>>> from firesteel.types import Char, Int
>>> repeat = Function("REPEAT", (TEXT, WHOLE), gives(STRING))
>>> str(repeat.result((Literal("x", Char(1, nullable=False)), Literal(2, Int(nullable=False)))))
'STRING NOT NULL'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firesteel.plan.expression import Cast, Expression, Literal
from firesteel.plan.type_rule import common_type
from firesteel.types import (
    APPROXIMATE,
    BINARY,
    CHARACTER,
    INTEGER,
    NUMERIC,
    STRING,
    TEMPORAL,
    Array,
    Boolean,
    Char,
    DataType,
    Date,
    Interval,
    Map,
    Multiset,
    Null,
    Row,
    Timestamp,
    TimestampLtz,
    Varchar,
)

Arguments = tuple[Expression, ...]
#: Returns the type of a call. It may raise an ArgumentError.
Rule = Callable[[Arguments], DataType]
#: Converts the arguments of a script to those that the run time takes.
Fit = Callable[[Arguments, DataType], Arguments]


class ArgumentError(ValueError):
    """The arguments do not fit the function; the text is a sentence such as 'takes a number'."""

    hint = "CAST what does not fit."


@dataclass(frozen=True)
class Parameter:
    """A parameter of the types `families`, of any type if empty. `literal`: its value has to be known before the job starts."""

    says: str
    families: tuple[type[DataType], ...]
    literal: bool = False

    def takes(self, argument: Expression) -> bool:
        if self.literal and not isinstance(argument, Literal):
            return False
        return not self.families or isinstance(argument.type, (Null, *self.families))


ANY = Parameter("a value", ())
TEXT = Parameter("text", CHARACTER)
BYTES_OR_TEXT = Parameter("text or bytes", (*CHARACTER, *BINARY))
BYTES = Parameter("bytes", BINARY)
NUMBER = Parameter("a number", NUMERIC)
WHOLE = Parameter("a whole number", INTEGER)
CONDITION = Parameter("a condition", (Boolean,))
MOMENT = Parameter("a date or time", TEMPORAL)
TIMESTAMP = Parameter("a timestamp", (Timestamp, TimestampLtz))
DATE_OR_TIMESTAMP = Parameter("a date or timestamp", (Date, Timestamp, TimestampLtz))
INTERVAL = Parameter("an INTERVAL", (Interval,))
ARRAY = Parameter("an ARRAY", (Array,))
MAP = Parameter("a MAP", (Map,))
COLLECTION = Parameter("an ARRAY, a MAP or a MULTISET", (Array, Map, Multiset))
ROW = Parameter("a ROW", (Row,))
FLOATING = Parameter("a floating point number", APPROXIMATE)
TEXT_LITERAL = Parameter("a text literal", CHARACTER, literal=True)
WHOLE_LITERAL = Parameter("a literal whole number", INTEGER, literal=True)


def _as_they_are(args: Arguments, result: DataType) -> Arguments:
    return args


@dataclass(frozen=True)
class Function:
    """A function. `optional`: the number of last parameters that may be left out. `repeats`: the last one may be repeated.

    `written` is the range of the parameters that a script writes as arguments; the others come from clauses.
    """

    name: str
    parameters: tuple[Parameter, ...]
    rule: Rule
    optional: int = 0
    repeats: bool = False
    fit: Fit = _as_they_are
    written: tuple[int, int | None] = (0, None)

    @property
    def least(self) -> int:
        return len(self.parameters) - self.optional

    @property
    def most(self) -> int | None:
        return None if self.repeats else len(self.parameters)

    def result(self, args: Arguments) -> DataType:
        parameters = self.parameters
        if len(args) > len(parameters):
            parameters = parameters + parameters[-1:] * (len(args) - len(parameters))
        for parameter, arg in zip(parameters, args, strict=False):
            if not parameter.takes(arg):
                error = ArgumentError(f"takes {self._says()}")
                if parameter.literal and not isinstance(arg, Literal):
                    error.hint = "Write a literal: its value has to be known before the job starts."
                raise error
        return self.rule(args)

    def shown(self, args: Arguments) -> str:
        """Renders the types of the arguments that the script has written."""
        return ", ".join(arg.type.sql for arg in args[slice(*self.written)])

    def _says(self) -> str:
        texts = [parameter.says for parameter in self.parameters]
        if self.optional:
            texts[self.least :] = [f"optionally {one}" for one in texts[self.least :]]
        texts = texts[slice(*self.written)]
        text = f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
        return f"{text}, any number of times" if self.repeats else text


def any_nullable(args: Arguments) -> bool:
    return any(arg.type.nullable for arg in args)


# -- rules --------------------------------------------------------------------------------------------------------------


def gives(result: DataType) -> Rule:
    """Makes the rule of a result that is NULL only if an argument is NULL."""
    return lambda args: result.with_nullable(any_nullable(args))


def may_give(result: DataType) -> Rule:
    """Makes the rule of a result that can be NULL even if no argument is."""
    return lambda args: result.with_nullable(True)


def always_gives(result: DataType) -> Rule:
    """Makes the rule of a result that is never NULL."""
    return lambda args: result.with_nullable(False)


def like_first(args: Arguments) -> DataType:
    return args[0].type.with_nullable(any_nullable(args))


def like_first_or_null(args: Arguments) -> DataType:
    return args[0].type.with_nullable(True)


def varying(data_type: DataType) -> DataType:
    """Returns the VARCHAR of the length of a CHAR; STRING for a type that is not text."""
    if isinstance(data_type, Char):
        return Varchar(data_type.length, nullable=data_type.nullable)
    return data_type if isinstance(data_type, Varchar) else STRING.with_nullable(data_type.nullable)


def varying_first(args: Arguments) -> DataType:
    return varying(args[0].type).with_nullable(any_nullable(args))


def varying_first_or_null(args: Arguments) -> DataType:
    return varying(args[0].type).with_nullable(True)


def common(args: Arguments) -> DataType:
    """Returns the common type of all arguments, nullable if one of them is."""
    result: DataType = args[0].type
    for arg in args[1:]:
        wider = common_type(result, arg.type)
        if wider is None:
            raise ArgumentError("takes values of one type")
        result = wider
    return result.with_nullable(any_nullable(args))


# -- arguments ----------------------------------------------------------------------------------------------------------


def to_type(expression: Expression, target: DataType) -> Expression:
    """Casts the expression if its type differs; a difference in nullability alone needs no cast."""
    if expression.type.with_nullable(True) == target.with_nullable(True):
        return expression
    if isinstance(expression, Literal) and expression.value is None:
        return Literal(None, target.with_nullable(True))
    return Cast(expression, target.with_nullable(expression.type.nullable))


def all_like_result(args: Arguments, result: DataType) -> Arguments:
    return tuple(to_type(arg, result) for arg in args)


def literal_value(args: Arguments, position: int) -> object:
    """Returns the value of a literal argument; None if it is not a literal, or left out."""
    argument = args[position] if position < len(args) else None
    return argument.value if isinstance(argument, Literal) else None
