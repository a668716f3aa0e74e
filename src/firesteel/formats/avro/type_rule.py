"""Checks which types and names Avro can hold, in either of its mappings of times."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firesteel.errors import Problem, Span
from firesteel.formats.bound import BoundFormat
from firesteel.formats.spec import PREFIX, Complaint
from firesteel.types import CHARACTER, Array, DataType, Map, Multiset, Row, Time, Timestamp, TimestampLtz

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def complain(type_: DataType, legacy: bool, can_choose: bool) -> Complaint:
    """Describes why Avro cannot hold a type. `legacy` is the older mapping of times; `can_choose` tells whether an
    option selects the newer one.
    """
    newer = f", or set '{PREFIX}timestamp_mapping.legacy' = 'false'" if can_choose else ""
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
            return complain(type_.value, legacy, can_choose)
        case Multiset():
            if not isinstance(type_.element, CHARACTER):
                return "has only text in a MULTISET", "Declare MULTISET<STRING>."
        case Array():
            return complain(type_.element, legacy, can_choose)
        case Row():
            return next((bad for field in type_.fields if (bad := complain(field.type, legacy, can_choose))), None)
    return None


def check_names(format: BoundFormat, spans: Mapping[str, Span], table: Span) -> list[Problem]:
    """Reports names that Avro does not allow, including those inside of rows."""
    problems: list[Problem] = []
    for field, column in zip(format.fields, format.columns, strict=True):
        _check_name(field.name, field.type, spans.get(column), problems)
    return problems


def _check_name(name: str, type_: DataType, span: Span | None, problems: list[Problem]) -> None:
    if not _NAME.fullmatch(name):
        hint = "Use letters, digits and '_', and begin with no digit."
        problems.append(Problem(f"'{name}' is no name that Avro allows.", span, hint))
    match type_:
        case Row():
            for field in type_.fields:
                _check_name(field.name, field.type, span, problems)
        case Array() | Multiset():
            _check_name("element", type_.element, span, problems)
        case Map():
            _check_name("value", type_.value, span, problems)
