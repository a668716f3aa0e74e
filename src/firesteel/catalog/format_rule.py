"""Which types a format can hold. What it cannot is a mistake of the table, however it is used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from firesteel.catalog.table import BoundFormat
from firesteel.errors import Problem, Span
from firesteel.formats.avro.options import TIMESTAMP_MAPPING_LEGACY
from firesteel.types import (
    APPROXIMATE,
    BINARY,
    CHARACTER,
    INTEGER,
    Array,
    Boolean,
    DataType,
    Map,
    Multiset,
    Row,
    Time,
    Timestamp,
    TimestampLtz,
)

#: Stands for the prefix of the format's options in a hint.
_PREFIX = "{prefix}"

#: What is wrong with a type and what to declare instead; None when nothing is.
Complaint = tuple[str, str] | None
TypeRule = Callable[[DataType, BoundFormat], Complaint]


def check_format(format: BoundFormat, prefix: str, spans: Mapping[str, Span], table: Span) -> tuple[Problem, ...]:
    """`prefix` is that of the format's options in this table, `spans` say where each column was declared.

    Something about all columns is reported at `table`.
    """
    problems: list[Problem] = []
    rule = _RULES.get(format.name)
    for field, column in zip(format.fields, format.columns, strict=True):
        complaint = rule(field.type, format) if rule else None
        if complaint is not None:
            wrong, instead = complaint
            problems.append(
                Problem(
                    f"'{column}' is {field.type.sql}, and the format '{format.name}' {wrong}.",
                    spans.get(column),
                    instead.replace(_PREFIX, prefix),
                )
            )
        if format.name in ("avro", "avro-confluent"):
            problems += _check_avro_names(field.name, field.type, spans.get(column))
    if format.name == "raw" and len(format.columns) != 1:
        problems.append(
            Problem(
                f"The format 'raw' holds exactly one column, and it has {len(format.columns)}: "
                f"{', '.join(format.columns) or 'none'}.",
                table,
                "Keep one physical column, or use 'key.fields' with 'value.fields-include' = 'EXCEPT_KEY'.",
            )
        )
    return tuple(problems)


def _string_keys(type_: DataType, format: BoundFormat) -> Complaint:
    """A JSON object's member names are text."""
    match type_:
        case Map():
            if not isinstance(type_.key, CHARACTER):
                return "has only text as the key of a MAP", "Declare the key as STRING."
            return _string_keys(type_.value, format)
        case Multiset():
            if not isinstance(type_.element, CHARACTER):
                return "has only text in a MULTISET", "Declare MULTISET<STRING>."
        case Array():
            return _string_keys(type_.element, format)
        case Row():
            return next((bad for field in type_.fields if (bad := _string_keys(field.type, format))), None)
    return None


def _csv(type_: DataType, format: BoundFormat) -> Complaint:
    match type_:
        case Map() | Multiset():
            return "has no MAP and no MULTISET", "Declare it as STRING, or use another format."
        case Array():
            return _csv_inner((type_.element,))
        case Row():
            return _csv_inner(tuple(field.type for field in type_.fields))
    return None


def _csv_inner(types: tuple[DataType, ...]) -> Complaint:
    if any(isinstance(inner, (Array, Row, Map, Multiset)) for inner in types):
        return "nests one level deep at most", "Declare simple types inside it, or use another format."
    return None


def _avro(type_: DataType, format: BoundFormat) -> Complaint:
    legacy = format.name != "avro" or format.options.get(TIMESTAMP_MAPPING_LEGACY) is not False
    # 'avro-confluent' always has the old mapping.
    newer = f", or set '{_PREFIX}timestamp_mapping.legacy' = 'false'" if format.name == "avro" else ""
    match type_:
        case Timestamp() if type_.precision > (3 if legacy else 6):
            most = "milliseconds" if legacy else "microseconds"
            precision = 3 if legacy else 6
            return f"keeps {most} at most", f"Declare TIMESTAMP({precision}){newer if legacy else ''}."
        case TimestampLtz():
            if legacy:
                return "has no TIMESTAMP_LTZ in its older mapping", f"Declare TIMESTAMP(3){newer}."
            if type_.precision > 6:
                return "keeps microseconds at most", "Declare TIMESTAMP_LTZ(6)."
        case Time() if type_.precision > 3:
            return "keeps milliseconds at most", "Declare TIME(3)."
        case Map():
            if not isinstance(type_.key, CHARACTER):
                return "has only text as the key of a MAP", "Declare the key as STRING."
            return _avro(type_.value, format)
        case Multiset():
            if not isinstance(type_.element, CHARACTER):
                return "has only text in a MULTISET", "Declare MULTISET<STRING>."
        case Array():
            return _avro(type_.element, format)
        case Row():
            return next((bad for field in type_.fields if (bad := _avro(field.type, format))), None)
    return None


_AVRO_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _check_avro_names(name: str, type_: DataType, span: Span | None) -> list[Problem]:
    problems: list[Problem] = []
    if not _AVRO_NAME.fullmatch(name):
        problems.append(
            Problem(
                f"'{name}' is no name that Avro allows.",
                span,
                "Use letters, digits and '_', and begin with no digit.",
            )
        )
    match type_:
        case Row():
            for field in type_.fields:
                problems += _check_avro_names(field.name, field.type, span)
        case Array() | Multiset():
            problems += _check_avro_names("element", type_.element, span)
        case Map():
            problems += _check_avro_names("value", type_.value, span)
    return problems


def _raw(type_: DataType, format: BoundFormat) -> Complaint:
    if isinstance(type_, (*CHARACTER, *BINARY, *INTEGER, *APPROXIMATE, Boolean)):
        return None
    return "holds text, bytes, a number or a BOOLEAN", "Declare it as STRING or BYTES."


_RULES: Mapping[str, TypeRule] = {
    "json": _string_keys,
    "debezium-json": _string_keys,
    "canal-json": _string_keys,
    "maxwell-json": _string_keys,
    "ogg-json": _string_keys,
    "csv": _csv,
    "avro": _avro,
    "avro-confluent": _avro,
    "raw": _raw,
}
