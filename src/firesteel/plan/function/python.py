"""Loads the functions of `CREATE FUNCTION f AS 'module.function' LANGUAGE PYTHON` and finds their types, before the job starts.

A function is loaded by importing its module, which runs its code. So the operator names the modules that may be imported; a
script cannot.
"""

from __future__ import annotations

import datetime
import decimal
import importlib
import inspect
import os
import sys
import types as python_types
import typing
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from firesteel.errors import Problem
from firesteel.plan.function.table import find_function
from firesteel.sql.script import parse_type
from firesteel.sql.statement import CreateFunction
from firesteel.types import (
    APPROXIMATE,
    BINARY,
    BYTES,
    CHARACTER,
    INTEGER,
    STRING,
    Array,
    BigInt,
    Boolean,
    DataType,
    Date,
    Decimal,
    Double,
    Null,
    Time,
    Timestamp,
    TimestampLtz,
)

#: The environment variable with names of allowed modules, separated by commas.
VARIABLE = "FIRESTEEL_PYTHON_FUNCTIONS"


@dataclass(frozen=True)
class PythonModules:
    """The modules that may be imported, each with its submodules; `folder` is the script's, which is searched first."""

    names: frozenset[str] = frozenset()
    folder: Path | None = None

    def allow(self, module: str) -> bool:
        parts = module.split(".")
        return any(".".join(parts[:size]) in self.names for size in range(1, len(parts) + 1))


def allowed_modules(
    named: typing.Iterable[str], folder: Path | None, environment: Mapping[str, str] = os.environ
) -> PythonModules:
    """Returns the modules that are named, and those of the environment."""
    texts = (*named, environment.get(VARIABLE, ""))
    return PythonModules(frozenset(name.strip() for text in texts for name in text.split(",") if name.strip()), folder)


@dataclass(frozen=True)
class PythonFunction:
    """A Python function that takes `least` to `most` arguments; `most` is None if it takes any number.

    `annotations` are the annotations of its parameters in their order; `rest` is that of `*args`.
    """

    name: str
    path: str
    result: DataType
    least: int = 0
    most: int | None = None
    annotations: tuple[object, ...] = ()
    rest: object = None

    def misfit(self, index: int, given: DataType) -> str | None:
        """Returns the annotation of a parameter as text, if an argument of the type does not fit it."""
        annotation = self.annotations[index] if index < len(self.annotations) else self.rest
        return None if _takes(annotation, given) else getattr(annotation, "__name__", str(annotation))

    @property
    def is_refused(self) -> bool:
        """Says whether its CREATE has a mistake: then a call of it is NULL and is not reported."""
        return isinstance(self.result, Null)


def refused_function(name: str) -> PythonFunction:
    return PythonFunction(name, "", Null())


_BOUND = "python_function"


def bind_functions(tree: exp.Expr, functions: Mapping[str, PythonFunction]) -> None:
    """Binds each call to the function it names; the names of `functions` are in lower case.

    As in Flink, a system function hides a script's function of the same name.
    """
    if not functions:
        return
    for call in tree.find_all(exp.Anonymous):
        function = functions.get(call.name.lower())
        if function is not None and find_function(call.name) is None:
            call.meta[_BOUND] = function


def bound_function(call: exp.Anonymous) -> PythonFunction | None:
    function = call.meta.get(_BOUND)
    return function if isinstance(function, PythonFunction) else None


class _Refusal(Exception):
    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


def load_function(statement: CreateFunction, modules: PythonModules) -> tuple[PythonFunction, tuple[Problem, ...]]:
    """Loads the function of a CREATE FUNCTION. One that is refused gives NULL, so that its calls are not reported too."""
    name, path = statement.name.text, statement.target.value
    module, _, attribute = path.rpartition(".")
    try:
        if not module or not all(part.isidentifier() for part in path.split(".")):
            raise _Refusal(f"'{path}' is no Python function.", "Write 'module.function'.")
        if not modules.allow(module):
            raise _Refusal(
                f"The function '{name}' is Python of the module '{module}', which is not allowed to run here.",
                f"Whoever runs the job allows it with --python-functions {module}, or with {VARIABLE}={module}.",
            )
        target = _find(module, attribute, modules.folder)
        _check_kind(target, name)
        least, most = _arity(target)
        annotations, rest = _annotations(target)
        return PythonFunction(name, path, result_type(target, name), least, most, annotations, rest), ()
    except _Refusal as refusal:
        return refused_function(name), (Problem(refusal.message, statement.target.span, refusal.hint),)


def find_target(path: str) -> Callable[..., object]:
    """Returns the function at a path, whose module was allowed before."""
    module, _, attribute = path.rpartition(".")
    return callable_of(getattr(importlib.import_module(module), attribute))


def callable_of(target: object) -> Callable[..., object]:
    """Returns the function itself, if a decorator such as the `udf` of PyFlink or Spark has wrapped it."""
    if hasattr(target, "evalType") and callable(getattr(target, "func", None)):
        return typing.cast(Callable[..., object], target.func)  # type: ignore[attr-defined]
    for wrapped in ("_func", "func", "eval"):
        inner = getattr(target, wrapped, None)
        if callable(inner) and not inspect.isfunction(target):
            return typing.cast(Callable[..., object], inner)
    return typing.cast(Callable[..., object], target)


def import_module(module: str, folder: Path | None) -> python_types.ModuleType:
    """Imports an allowed module; the script's folder is searched first. Raises any exception of the module's own code."""
    with _searched(folder):
        return importlib.import_module(module)


def _find(module: str, attribute: str, folder: Path | None) -> object:
    try:
        imported = import_module(module, folder)
    except ModuleNotFoundError as error:
        where = f" in '{folder}' or" if folder is not None else ""
        raise _Refusal(
            f"The module '{error.name}' is not found{where} on Python's path.",
            "Put it beside the script, or install it.",
        ) from None
    except Exception as error:
        raise _Refusal(
            f"The module '{module}' cannot be imported: {type(error).__name__}: {str(error)[:200]}"
        ) from None
    target = getattr(imported, attribute, None)
    if target is None:
        raise _Refusal(f"The module '{module}' has no function '{attribute}'.")
    if not callable(callable_of(target)):
        raise _Refusal(f"'{module}.{attribute}' is no function.")
    return target


@contextmanager
def _searched(folder: Path | None) -> Iterator[None]:
    """Adds the script's folder to the front of Python's path for the duration of the block."""
    if folder is None:
        yield
        return
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


#: Spark's codes for functions that take the values of one row; all other kinds take whole columns.
_ONE_ROW = (100, 101)


def _check_kind(target: object, name: str) -> None:
    """Refuses a function that cannot be called with the values of one row."""
    function = callable_of(target)
    kind = type(target).__name__
    if inspect.isclass(target):
        raise _Refusal(f"The function '{name}' is a class.", "Write a function, or an object with a method 'eval'.")
    if getattr(target, "evalType", _ONE_ROW[0]) not in _ONE_ROW or getattr(target, "_func_type", None) == "pandas":
        raise _Refusal(
            f"The function '{name}' takes whole columns, as pandas functions do, which is not supported yet.",
            "Write it for the values of one row.",
        )
    if "Aggregate" in kind or hasattr(target, "accumulate"):
        raise _Refusal(f"The function '{name}' is an aggregate; aggregates in Python are not supported yet.")
    if "TableFunction" in kind or inspect.isgeneratorfunction(function):
        raise _Refusal(f"The function '{name}' gives several rows; table functions are not supported yet.")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise _Refusal(
            f"The function '{name}' is 'async', and functions are called one row after the other.", "Write 'def'."
        )


def _annotations(target: object) -> tuple[tuple[object, ...], object]:
    """Returns the annotations of the parameters, and that of `*args`; None for each that is missing."""
    function = callable_of(target)
    try:
        hints = typing.get_type_hints(function)
        parameters = inspect.signature(function).parameters.values()
    except Exception:
        return (), None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((hints.get(p.name) for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    return tuple(hints.get(p.name) for p in positional), rest


def _takes(annotation: object, given: DataType) -> bool:
    """Says whether a value of the type fits the annotation; any value fits an annotation that is unknown or missing."""
    if typing.get_origin(annotation) in (typing.Union, python_types.UnionType):
        return any(_takes(part, given) for part in typing.get_args(annotation) if part is not type(None))
    kind = typing.get_origin(annotation) or annotation
    families = _FAMILIES.get(kind) if isinstance(kind, type) else None
    return families is None or isinstance(given, (Null, *families))


def _arity(target: object) -> tuple[int, int | None]:
    try:
        parameters = inspect.signature(callable_of(target)).parameters.values()
    except (TypeError, ValueError):
        return 0, None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in positional)
    return least, None if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(positional)


_ANNOTATED: dict[object, DataType] = {
    bool: Boolean(),
    int: BigInt(),
    float: Double(),
    str: STRING,
    bytes: BYTES,
    decimal.Decimal: Decimal(38, 18),
    datetime.datetime: Timestamp(6),
    datetime.date: Date(),
    datetime.time: Time(0),
    type(None): Null(),
}

#: The SQL types whose values fit a Python class. A whole number fits a float, as in Python.
_FAMILIES: dict[type, tuple[type[DataType], ...]] = {
    bool: (Boolean,),
    int: (*INTEGER, Boolean),
    float: (*APPROXIMATE, *INTEGER),
    str: CHARACTER,
    bytes: BINARY,
    decimal.Decimal: (Decimal,),
    datetime.datetime: (Timestamp, TimestampLtz),
    datetime.date: (Date, Timestamp, TimestampLtz),
    datetime.time: (Time,),
    list: (Array,),
}

#: PyFlink's classes for types, as SQL writes them.
_PYFLINK = {
    "BooleanType": "BOOLEAN",
    "TinyIntType": "TINYINT",
    "SmallIntType": "SMALLINT",
    "IntType": "INT",
    "BigIntType": "BIGINT",
    "FloatType": "FLOAT",
    "DoubleType": "DOUBLE",
    "VarCharType": "STRING",
    "CharType": "STRING",
    "VarBinaryType": "BYTES",
    "BinaryType": "BYTES",
    "DateType": "DATE",
    "TimeType": "TIME",
    "TimestampType": "TIMESTAMP({precision})",
    "LocalZonedTimestampType": "TIMESTAMP_LTZ({precision})",
    "DecimalType": "DECIMAL({precision}, {scale})",
}


_SPARK = {"binary": "BYTES", "timestamp": "TIMESTAMP_LTZ(6)", "timestamp_ntz": "TIMESTAMP(6)"}


def result_type(target: object, name: str) -> DataType:
    """Returns the type of the function's result: of its `result_type`, as PyFlink's `udf` sets it, or its annotation."""
    declared = getattr(target, "result_type", None) or getattr(target, "_result_type", None)
    if declared is None and hasattr(target, "evalType"):
        declared = _spark_type(getattr(target, "returnType", None))
    if declared is not None:
        return _declared(declared, name)
    try:
        annotation = typing.get_type_hints(callable_of(target)).get("return")
    except Exception:
        annotation = None
    found = _annotated(annotation)
    if found is None or isinstance(found, Null):
        raise _Refusal(
            f"The function '{name}' does not say what type it gives.",
            "Write an annotation such as '-> int', or give it a 'result_type' such as 'BIGINT'.",
        )
    return found.with_nullable(True)


def _spark_type(declared: object) -> str | None:
    """Renders Spark's type as SQL."""
    text: str = getattr(declared, "simpleString", lambda: "")()
    return _SPARK.get(text, text.upper()) or None


def _declared(declared: object, name: str) -> DataType:
    text = declared if isinstance(declared, str) else _PYFLINK.get(type(declared).__name__, "")
    sizes = {size: getattr(declared, size, None) or 0 for size in ("precision", "scale")}
    found = parse_type(text.format(**sizes) if not isinstance(declared, str) else text) if text else None
    if found is None:
        raise _Refusal(
            f"The function '{name}' gives '{str(declared)[:60]}', which is no type.", "Write one such as 'BIGINT'."
        )
    return found.with_nullable(True)


def _annotated(annotation: object) -> DataType | None:
    if typing.get_origin(annotation) in (typing.Union, python_types.UnionType):
        chosen = [part for part in typing.get_args(annotation) if part is not type(None)]
        return _annotated(chosen[0]) if len(chosen) == 1 else None
    if typing.get_origin(annotation) is list:
        element = _annotated(typing.get_args(annotation)[0])
        return Array(element) if element is not None else None
    return _ANNOTATED.get(annotation) if isinstance(annotation, type) else None
