"""Functions that choose between values, or test a value."""

from __future__ import annotations

from firesteel.plan.function.operator import compared
from firesteel.plan.function.signature import (
    ANY,
    Arguments,
    Function,
    Parameter,
    all_like_result,
    always_gives,
    common,
    like_first_or_null,
)
from firesteel.types import CHARACTER, NUMERIC, Boolean, DataType

_TEXT_OR_NUMBER = Parameter("text or a number", (*CHARACTER, *NUMERIC))


def _first_found(args: Arguments) -> DataType:
    return common(args).with_nullable(all(arg.type.nullable for arg in args))


def _replaced(args: Arguments) -> DataType:
    return common(args).with_nullable(args[0].type.nullable and args[1].type.nullable)


def _unless_equal(args: Arguments) -> DataType:
    compared(args)
    return like_first_or_null(args)


CONDITION_FUNCTIONS: tuple[Function, ...] = (
    Function("COALESCE", (ANY,), _first_found, repeats=True, fit=all_like_result),
    Function("GREATEST", (ANY,), common, repeats=True, fit=all_like_result),
    Function("IFNULL", (ANY, ANY), _replaced, fit=all_like_result),
    Function("IS_ALPHA", (_TEXT_OR_NUMBER,), always_gives(Boolean())),
    Function("IS_DECIMAL", (_TEXT_OR_NUMBER,), always_gives(Boolean())),
    Function("IS_DIGIT", (_TEXT_OR_NUMBER,), always_gives(Boolean())),
    Function("LEAST", (ANY,), common, repeats=True, fit=all_like_result),
    Function("NULLIF", (ANY, ANY), _unless_equal),
)
