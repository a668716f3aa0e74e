"""Functions over numbers."""

from __future__ import annotations

from firesteel.plan.function.operator import arithmetic
from firesteel.plan.function.signature import (
    NUMBER,
    WHOLE,
    WHOLE_LITERAL,
    Arguments,
    Function,
    any_nullable,
    gives,
    like_first,
    literal_value,
)
from firesteel.types import DataType, Decimal, Double, Int

_MAX_PRECISION = 38


def _whole(args: Arguments) -> DataType:
    """Returns the type of FLOOR and CEIL: the argument's, with scale 0 for a DECIMAL."""
    number = args[0].type
    if isinstance(number, Decimal):
        return Decimal(number.precision, 0, nullable=number.nullable)
    return number


def _rounded(args: Arguments) -> DataType:
    """Returns the type of ROUND: a DECIMAL has the scale it is rounded to, and room for one digit more before the point."""
    number = args[0].type
    digits = literal_value(args, 1) if len(args) == 2 else 0
    if not isinstance(number, Decimal) or not isinstance(digits, int) or digits >= number.scale:
        return number.with_nullable(any_nullable(args))
    precision = 1 + number.precision - number.scale + max(digits, 0)
    return Decimal(min(_MAX_PRECISION, precision), max(digits, 0), nullable=any_nullable(args))


_OF_ONE = (
    *("ACOS", "ASIN", "ATAN", "COS", "COSH", "COT", "DEGREES", "EXP", "LN", "LOG10", "LOG2"),
    *("RADIANS", "SIN", "SINH", "SQRT", "TAN", "TANH"),
)

NUMERIC_FUNCTIONS: tuple[Function, ...] = (
    Function("ABS", (NUMBER,), like_first),
    Function("CEIL", (NUMBER,), _whole),
    Function("FLOOR", (NUMBER,), _whole),
    Function("MOD", (NUMBER, NUMBER), arithmetic("%")),
    Function("SIGN", (NUMBER,), like_first),
    Function("ROUND", (NUMBER, WHOLE_LITERAL), _rounded, optional=1),
    Function("TRUNCATE", (NUMBER, WHOLE_LITERAL), _rounded, optional=1),
    *(Function(name, (NUMBER,), gives(Double())) for name in _OF_ONE),
    Function("ATAN2", (NUMBER, NUMBER), gives(Double())),
    Function("POWER", (NUMBER, NUMBER), gives(Double())),
    Function("LOG", (NUMBER, NUMBER), gives(Double()), optional=1),
    Function("E", (), gives(Double())),
    Function("PI", (), gives(Double())),
    Function("RAND", (WHOLE_LITERAL,), gives(Double()), optional=1),
    Function("RAND_INTEGER", (WHOLE, WHOLE), gives(Int()), optional=1),
)
