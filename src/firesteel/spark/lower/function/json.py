"""Lowers the functions that read JSON. Those that write it are in `json_write.py`.

They run in Python, on blocks of Arrow: Spark's own functions have no `lax` and `strict`, no ON EMPTY and ON ERROR, and
change numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.java.jackson import quote
from firesteel.formats.java.text import to_utf8_text
from firesteel.plan.expression import Call
from firesteel.plan.function.json_path import JsonPath, NotFound, parse_path
from firesteel.spark.failure import CarriedError
from firesteel.spark.lower.function.arrow import computed
from firesteel.spark.lower.function.form import Translation, literal
from firesteel.spark.lower.function.json_write import json_array, json_object, json_string
from firesteel.spark.type import spark_type
from firesteel.types import CHARACTER, Array, Boolean, DataType, Double, Int


class _Unfit(ValueError):
    """The path finds a value of a kind that the function does not give."""


#: The errors of a text that is not JSON, or of a number that is too long.
_BAD = (ValueError, LookupError, RecursionError, ArithmeticError)


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse_constant)


def _read(text: str) -> object:
    """Reads the value at the beginning of a text as Jackson does: fractions are exact, and what follows is ignored."""
    return _DECODER.raw_decode(text.lstrip(" \t\r\n"))[0]


def _print(value: object) -> str:
    """Prints compact JSON with sorted keys."""
    return to_utf8_text(_printed(value))


def _printed(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case dict():
            return "{" + ",".join(f"{quote(key)}:{_printed(value[key])}" for key in sorted(value)) + "}"
        case list():
            return "[" + ",".join(map(_printed, value)) + "]"
    return str(value)


def _scalar_text(value: object) -> str:
    return to_utf8_text(value) if isinstance(value, str) else _print(value)


# -- reading ---------------------------------------------------------------------------------------------------------------

Find = Callable[[str], object]


def _finder(path: JsonPath) -> Find:
    """Makes the function that evaluates the path. It returns None if it finds nothing; ValueError and LookupError count
    as errors for ON ERROR.
    """

    def find(text: str) -> object:
        if not path.lax:
            found = path.find(_read(text))
            if found is None:
                raise NotFound
            return found
        try:
            return path.find(_read(text))
        except _BAD:
            return None

    return find


def _each(
    texts: Iterable[str | None], find: Find, convert: Callable[[object, int], object], failed: Callable[[int], object]
) -> list[object]:
    results: list[object] = []
    for number, text in enumerate(texts):
        if text is None:
            results.append(None)
            continue
        try:
            results.append(convert(find(text), number))
        except _BAD:
            results.append(failed(number))
    return results


def _json_value(call: Call, args: list[Column]) -> Column:
    path = parse_path(str(literal(call, 1)))
    on_empty, on_error = str(literal(call, 3)), str(literal(call, 5))
    to_value, result = _value_reader(call.type), arrow_type(call.type)

    def read(texts: pa.Array, empty_defaults: pa.Array, error_defaults: pa.Array) -> pa.Array:
        def convert(found: object, number: int) -> object:
            if found is None or (path.lax and isinstance(found, dict | list)):
                return _react(on_empty, empty_defaults, number, "JSON_VALUE finds nothing.")
            if isinstance(found, dict | list):
                raise _Unfit
            return to_value(found)

        def failed(number: int) -> object:
            return _react(on_error, error_defaults, number, "JSON_VALUE cannot read a value.")

        return pa.array(_each(texts.to_pylist(), _finder(path), convert, failed), result)

    return computed(read, call.type, args[0], _typed_default(call, args, 4), _typed_default(call, args, 6))


def _typed_default(call: Call, args: list[Column], position: int) -> Column:
    return args[position].cast(spark_type(call.type))


def _react(word: str, defaults: pa.Array, number: int, message: str) -> object:
    if word == "ERROR":
        raise CarriedError(message, "Write NULL or DEFAULT … ON EMPTY and ON ERROR to go on.")
    return defaults[number].as_py() if word == "DEFAULT" else None


def _value_reader(returning: DataType) -> Callable[[object], object]:
    if isinstance(returning, CHARACTER):
        return _scalar_text

    def read(value: object) -> object:
        match returning, value:
            case Boolean(), bool():
                return value
            case Int(), int() if not isinstance(value, bool) and -(2**31) <= value < 2**31:
                return value
            case Double(), int() | Decimal() if not isinstance(value, bool):
                return float(value)
        raise CarriedError(
            f"JSON_VALUE finds '{_print(value)[:40]}', which is no {returning.sql}.", "Leave out RETURNING."
        )

    return read


def _json_query(call: Call, args: list[Column]) -> Column:
    path = parse_path(str(literal(call, 1)))
    wrapper, on_empty, on_error = (str(literal(call, number)) for number in (3, 4, 5))
    as_array = isinstance(call.type, Array)
    result = arrow_type(call.type)

    def react(word: str, message: str) -> object:
        match word:
            case "ERROR":
                raise CarriedError(message, "Write NULL, EMPTY ARRAY or EMPTY OBJECT ON EMPTY and ON ERROR to go on.")
            case "EMPTY ARRAY":
                return [] if as_array else "[]"
            case "EMPTY OBJECT":
                return "{}"
        return None

    def convert(found: object, number: int) -> object:
        if found is not None and (
            wrapper == "UNCONDITIONAL" or (wrapper == "CONDITIONAL" and not isinstance(found, list))
        ):
            found = [found]
        if found is None or (path.lax and not isinstance(found, dict | list)):
            return react(on_empty, "JSON_QUERY finds nothing.")
        if not isinstance(found, dict | list) or (as_array and isinstance(found, dict)):
            raise _Unfit
        if as_array and isinstance(found, list):
            return [None if item is None else _scalar_text(item) for item in found]
        return _print(found)

    def read(texts: pa.Array) -> pa.Array:
        failed = lambda number: react(on_error, "JSON_QUERY cannot read a value.")  # noqa: E731
        return pa.array(_each(texts.to_pylist(), _finder(path), convert, failed), result)

    return computed(read, call.type, args[0])


def _json_exists(call: Call, args: list[Column]) -> Column:
    path, on_error = parse_path(str(literal(call, 1))), str(literal(call, 2))

    def failed(number: int) -> object:
        if on_error == "ERROR":
            raise CarriedError("JSON_EXISTS cannot read a value.", "Write FALSE ON ERROR to go on.")
        return {"TRUE": True, "FALSE": False}.get(on_error)

    def read(texts: pa.Array) -> pa.Array:
        found = _each(texts.to_pylist(), _finder(path), lambda value, number: value is not None, failed)
        return pa.array(found, pa.bool_())

    return computed(read, call.type, args[0])


_KINDS: dict[str, Callable[[object], bool]] = {
    "VALUE": lambda value: True,
    "OBJECT": lambda value: isinstance(value, dict),
    "ARRAY": lambda value: isinstance(value, list),
    "SCALAR": lambda value: not isinstance(value, dict | list),
}


def _is_json(call: Call, args: list[Column]) -> Column:
    kind = str(literal(call, 1))

    def read(texts: pa.Array) -> pa.Array:
        fits = _each(texts.to_pylist(), _read, lambda value, number: _KINDS[kind](value), lambda number: False)
        return pa.array(fits, pa.bool_())

    return F.coalesce(computed(read, Boolean(), args[0]), F.lit(False))


def _mapped(function: Callable[[str], str]) -> Translation:
    def translate(call: Call, args: list[Column]) -> Column:
        def change(texts: pa.Array) -> pa.Array:
            return pa.array([None if text is None else function(text) for text in texts.to_pylist()], pa.string())

        return computed(change, call.type, args[0])

    return translate


_QUOTED_ALSO = str.maketrans({"/": "\\/"})


def _quote(text: str) -> str:
    """Quotes a text for JSON, with escapes for a slash and for characters beyond ASCII."""
    escaped = quote(text).translate(_QUOTED_ALSO)
    return re.sub(r"[^\x00-\x7f]", lambda found: json.dumps(found[0])[1:-1], escaped)


def _unquote(text: str) -> str:
    """Reads a quoted JSON text. Any other text is returned unchanged."""
    if len(text) < 2 or not (text.startswith('"') and text.endswith('"')):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return to_utf8_text(value) if isinstance(value, str) else text


def _json(call: Call, args: list[Column]) -> Column:
    def read(texts: pa.Array) -> pa.Array:
        return pa.array([_canonical(text) for text in texts.to_pylist()], pa.string())

    return computed(read, call.type, args[0])


def _canonical(text: str | None) -> str | None:
    if text is None or not text.strip():
        return None
    try:
        return _print(_read(text))
    except _BAD:
        raise CarriedError(f"JSON has '{text[:40]}', which is no JSON.") from None


JSON_TRANSLATIONS: dict[str, Translation] = {
    "JSON_VALUE": _json_value,
    "JSON_QUERY": _json_query,
    "JSON_EXISTS": _json_exists,
    "IS JSON": _is_json,
    "JSON_QUOTE": _mapped(_quote),
    "JSON_UNQUOTE": _mapped(_unquote),
    "JSON_OBJECT": json_object,
    "JSON_ARRAY": json_array,
    "JSON_STRING": json_string,
    "JSON": _json,
}
