"""Lowers the functions that write JSON, JSON_OBJECT, JSON_ARRAY and JSON_STRING, to Spark's own functions."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.formats.java.jackson import quote
from firesteel.plan.expression import Call
from firesteel.spark.lower.function.form import literal
from firesteel.types import BINARY, CHARACTER, Array, DataType, Int, Map, Multiset, Row, Timestamp, TimestampLtz


def _fragment(value: Column, data_type: DataType) -> Column:
    """Converts a value to JSON; NULL stays NULL."""
    match data_type:
        case Timestamp():
            return _quoted(_iso(value))
        case TimestampLtz():
            # A TIMESTAMP_LTZ is written in UTC.
            return _quoted(
                F.concat(
                    _iso(F.convert_timezone(F.current_timezone(), F.lit("UTC"), value.cast("timestamp_ntz"))),
                    F.lit("Z"),
                )
            )
        case Array(element=element):
            return _enclosed("[", F.transform(value, lambda item: _or_null(item, element)), "]")
        case Map(value=held):
            return _object_of(F.map_entries(value), held)
        case Multiset():
            return _object_of(F.map_entries(value), Int())
        case Row(fields=fields):
            ordered = sorted(fields, key=lambda field: field.name)
            parts = [
                F.concat(F.lit(f"{quote(field.name)}:"), _or_null(value.getField(field.name), field.type))
                for field in ordered
            ]
            return F.when(value.isNotNull(), _enclosed("{", F.array(*parts), "}"))
    if isinstance(data_type, BINARY):
        return _quoted(F.base64(value))
    if isinstance(data_type, CHARACTER):
        return _quoted(value)
    return _bare(value, data_type)


def _bare(value: Column, data_type: DataType) -> Column:
    """Converts a number or a boolean. Spark prints numbers with the same library as Flink."""
    written = F.to_json(F.struct(value.alias("v")))
    return F.when(value.isNotNull(), F.substring(written, F.lit(6), F.char_length(written) - 6))


def _quoted(text: Column) -> Column:
    written = F.to_json(F.struct(text.alias("v")))
    return F.when(text.isNotNull(), F.substring(written, F.lit(6), F.char_length(written) - 6))


def _iso(moment: Column) -> Column:
    """Prints a timestamp as Java does, with the fraction in groups of three digits, or none."""
    text = F.replace(moment.cast("string"), F.lit(" "), F.lit("T"))
    fraction = F.regexp_extract(text, r"\.(\d+)", 1)
    size = F.char_length(fraction)
    digits = F.when(size == 0, F.lit("")).otherwise(
        F.concat(F.lit("."), F.when(size <= 3, F.rpad(fraction, 3, "0")).otherwise(F.rpad(fraction, 6, "0")))
    )
    return F.concat(F.substring(text, 1, 19), digits)


def _or_null(value: Column, data_type: DataType) -> Column:
    return F.coalesce(_fragment(value, data_type), F.lit("null"))


def _object_of(entries: Column, held: DataType) -> Column:
    ordered = F.array_sort(entries, lambda a, b: F.when(a["key"] < b["key"], -1).otherwise(1))
    parts = F.transform(
        ordered, lambda entry: F.concat(_quoted(entry["key"]), F.lit(":"), _or_null(entry["value"], held))
    )
    return _enclosed("{", parts, "}")


def _enclosed(opening: str, parts: Column, closing: str) -> Column:
    return F.concat(F.lit(opening), F.array_join(parts, ","), F.lit(closing))


def _written(call: Call, args: list[Column], position: int) -> Column:
    """Converts an argument to JSON, unless it is the result of a function that makes JSON."""
    argument = call.args[position]
    if isinstance(argument, Call) and argument.function in ("JSON_OBJECT", "JSON_ARRAY", "JSON"):
        return args[position]
    return _fragment(args[position], argument.type)


def json_object(call: Call, args: list[Column]) -> Column:
    pairs = sorted((str(literal(call, number)), number + 1) for number in range(1, len(args), 2))
    parts = []
    for key, position in pairs:
        written = _written(call, args, position)
        if literal(call, 0) == "NULL":
            written = F.coalesce(written, F.lit("null"))
        parts.append(F.concat(F.lit(f"{quote(key)}:"), written))
    return F.concat(F.lit("{"), F.concat_ws(",", *parts), F.lit("}")) if parts else F.lit("{}")


def json_array(call: Call, args: list[Column]) -> Column:
    parts = [_written(call, args, position) for position in range(1, len(args))]
    if literal(call, 0) == "NULL":
        parts = [F.coalesce(part, F.lit("null")) for part in parts]
    return F.concat(F.lit("["), F.concat_ws(",", *parts), F.lit("]")) if parts else F.lit("[]")


def json_string(call: Call, args: list[Column]) -> Column:
    return _written(call, args, 0)
