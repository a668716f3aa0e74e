"""Describes a format as data: its options, the changes its messages can carry, the types it can hold, its decoder and
encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.changelog.kind import INSERT_ONLY, Changelog
from firesteel.errors import Problem, Span
from firesteel.formats.bound import BoundFormat
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Option
from firesteel.options.rule import Rule
from firesteel.types import DataType

#: Placeholder for the prefix of the format's options in a hint.
PREFIX = "{prefix}"

#: The problem of a type and the type to declare instead; None if there is no problem.
Complaint = tuple[str, str] | None
TypeRule = Callable[[DataType, BoundFormat], Complaint]
#: Checks all columns together. Takes where each was declared, and where the table was.
ColumnRule = Callable[[BoundFormat, Mapping[str, Span], Span], list[Problem]]


@dataclass(frozen=True)
class FormatSpec:
    """A format. `changelog` has the kinds of rows that its messages can carry, both when reading and when writing.

    `decoder` and `encoder` name a class or a function, as `json.decoder:JsonDecoder` below `firesteel.formats`: they
    are loaded when a message is read or written, because they need Arrow. A decoder is made from the bound format and
    the names of the wanted columns; with metadata, also from a mapping of column names to metadata keys.
    """

    name: str
    rows: tuple[Option[Any], ...]
    decoder: str
    encoder: str
    changelog: Changelog = INSERT_ONLY
    rules: tuple[Rule, ...] = ()
    #: Keys of a value format, without their `value.` prefix.
    metadata: tuple[MetadataKey, ...] = ()
    #: Prefixes of options with any name, as `properties.*`.
    open_prefixes: tuple[str, ...] = ()
    #: The option that has bad messages ignored.
    ignore_errors: Option[bool] | None = None
    #: The option that no table can write, and that is true in tables of Flink 1.9 and 1.10.
    legacy: Option[bool] | None = None
    #: The option that names the subject of a schema registry: made of the table's one topic where it is not written.
    subject: Option[str] | None = None
    #: The names of its `properties.*` that have an effect; None: it has no such options.
    properties: frozenset[str] | None = None
    #: Checks the types that the format can hold. A wrong one is a mistake of the table, whether it is read or written.
    type_rule: TypeRule | None = None
    column_rule: ColumnRule | None = None


def check_format(
    spec: FormatSpec, format: BoundFormat, prefix: str, spans: Mapping[str, Span], table: Span
) -> tuple[Problem, ...]:
    """Checks a format's columns. `prefix` is that of the format's options in this table.

    `spans` tell where each column was declared; a problem of all columns together is reported at `table`.
    """
    problems: list[Problem] = []
    for field, column in zip(format.fields, format.columns, strict=True):
        complaint = spec.type_rule(field.type, format) if spec.type_rule else None
        if complaint is not None:
            wrong, instead = complaint
            problems.append(
                Problem(
                    f"'{column}' is {field.type.sql}, and the format '{format.name}' {wrong}.",
                    spans.get(column),
                    instead.replace(PREFIX, prefix),
                )
            )
    return (*problems, *(spec.column_rule(format, spans, table) if spec.column_rule else ()))
