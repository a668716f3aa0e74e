"""Decides which columns the message key has, and binds the formats of key and value to their columns."""

from __future__ import annotations

from firesteel.catalog.column import suggest_column
from firesteel.catalog.subject import with_subject
from firesteel.catalog.table import Column, Physical
from firesteel.catalog.with_clause.resolve import FormatOptions, TableOptions
from firesteel.changelog.kind import INSERT_ONLY, render_changelog
from firesteel.connectors.spec import Key
from firesteel.errors import Problem, Severity, Span
from firesteel.formats.bound import BoundFormat
from firesteel.options import message
from firesteel.options.legacy import UPDATE_MODE
from firesteel.options.message import ValueFields
from firesteel.options.option import Dialect
from firesteel.options.value import OptionValues
from firesteel.types import Field


def bind_formats(
    table: TableOptions,
    columns: tuple[Column, ...],
    primary_key: tuple[str, ...],
    problems: list[Problem],
) -> tuple[BoundFormat | None, BoundFormat]:
    """Binds the key's format, if there is one, and the value's to their columns."""
    physical = {column.name: column for column in columns if isinstance(column, Physical)}
    keys = _key_columns(table, columns, physical, primary_key, problems)
    in_value = _value_columns(table, physical, keys, problems)
    key_format = None
    if table.key_format is not None:
        prefix = table.options.get(message.KEY_FIELDS_PREFIX) or ""
        fields = tuple(Field(name.removeprefix(prefix), physical[name].type) for name in keys)
        key_format = BoundFormat(
            table.key_format.name, with_subject(table.key_format, table, "key"), fields, tuple(keys)
        )
    chosen = table.value_format
    value_prefix = table.options.get(message.VALUE_FIELDS_PREFIX) or ""
    value_format = BoundFormat(
        chosen.name if chosen else "",
        with_subject(chosen, table, "value") if chosen else OptionValues(),
        tuple(Field(name.removeprefix(value_prefix), physical[name].type) for name in in_value),
        tuple(in_value),
    )
    return key_format, value_format


def _key_columns(
    table: TableOptions,
    columns: tuple[Column, ...],
    physical: dict[str, Physical],
    primary_key: tuple[str, ...],
    problems: list[Problem],
) -> list[str]:
    """Lists the columns of the message key: those of the PRIMARY KEY, or those that `key.fields` names."""
    upsert = table.spec is not None and table.spec.key is Key.PRIMARY_KEY
    prefix = table.options.get(message.KEY_FIELDS_PREFIX) or ""
    keys: list[str] = []
    for name in primary_key if upsert else (table.options.get(message.KEY_FIELDS) or ()):
        if name not in physical:
            other = any(column.name == name for column in columns)
            what = "which is not a physical column" if other else "which is not a column of the table"
            problems.append(
                Problem(
                    f"{table.scope.name(message.KEY_FIELDS)} has '{name}', {what}.",
                    table.scope.where(message.KEY_FIELDS),
                    f"Physical columns are {', '.join(physical)}." if other else suggest_column(name, dict(physical)),
                )
            )
            continue
        if not name.startswith(prefix):
            owner = "The PRIMARY KEY" if upsert else table.scope.name(message.KEY_FIELDS)
            problems.append(
                Problem(
                    f"{owner} has '{name}', which does not start with '{prefix}' as "
                    f"{table.scope.name(message.KEY_FIELDS_PREFIX)} says.",
                    table.scope.where(message.KEY_FIELDS_PREFIX if upsert else message.KEY_FIELDS),
                    f"Rename the column to '{prefix}{name}', or change the prefix.",
                )
            )
        keys.append(name)
    return keys


def _value_columns(
    table: TableOptions, physical: dict[str, Physical], keys: list[str], problems: list[Problem]
) -> list[str]:
    """Lists the columns of the message value, which `value.fields-include` chooses."""
    include_all = table.options.get(message.VALUE_FIELDS_INCLUDE) is ValueFields.ALL
    names = [name for name in physical if include_all or name not in keys]
    prefix = table.options.get(message.VALUE_FIELDS_PREFIX) or ""
    for name in names:
        if not name.startswith(prefix):
            also = (
                " Write 'value.fields-include' = 'EXCEPT_KEY' to leave the key's columns out of the value."
                if name in keys
                else ""
            )
            problems.append(
                Problem(
                    f"'{name}' is a column of the value and does not start with '{prefix}' as "
                    f"{table.scope.name(message.VALUE_FIELDS_PREFIX)} says.",
                    physical[name].span,
                    f"Rename the column to '{prefix}{name}', or change the prefix.{also}",
                )
            )
    return names


def check_key(table: TableOptions, primary_key: tuple[str, ...], key_span: Span | None, span: Span) -> list[Problem]:
    """Checks which formats may carry a key, and which tables need or refuse a primary key."""
    if table.spec is not None and table.spec.key is Key.PRIMARY_KEY:
        return _check_upsert(table, primary_key, key_span, span)
    problems: list[Problem] = []
    value, key = table.value_format, table.key_format
    if key is not None and key.spec is not None and key.spec.changelog != INSERT_ONLY:
        problems.append(
            Problem(
                f"'key.format' is '{key.name}', which is for changes ({render_changelog(key.spec.changelog)}); "
                "a message key is a plain row.",
                key.span,
                "Write a format such as 'json', 'csv', 'avro' or 'raw'.",
            )
        )
    if key_span is not None and is_keyless(table):
        problems.append(
            Problem(
                "The PRIMARY KEY has no effect: this table takes only inserts, and its messages have no key.",
                key_span,
                "Remove it, or write 'update-mode' = 'upsert'.",
                Severity.WARNING,
            )
        )
    elif key_span is not None and value is not None and value.spec is not None and value.spec.changelog == INSERT_ONLY:
        problems.append(
            Problem(
                f"The table has a PRIMARY KEY, which the format '{value.name}' of a 'kafka' table cannot keep: it only "
                "inserts.",
                key_span,
                "Remove the PRIMARY KEY, or write 'connector' = 'upsert-kafka' with 'key.format' and 'value.format'.",
            )
        )
    return problems


def is_keyless(table: TableOptions) -> bool:
    """Checks for a `kafka` table of Huawei DLI whose PRIMARY KEY has no effect."""
    value = table.value_format
    plain = value is None or value.spec is None or value.spec.changelog == INSERT_ONLY
    return plain and table.dialect is Dialect.DLI and table.spec is not None and table.spec.key is Key.OPTIONAL


def _check_upsert(
    table: TableOptions, primary_key: tuple[str, ...], key_span: Span | None, span: Span
) -> list[Problem]:
    problems: list[Problem] = []
    if key_span is None:
        mode = table.options.get(UPDATE_MODE)
        what = f"'update-mode' is '{mode.value}' and" if mode is not None else "An 'upsert-kafka' table"
        problems.append(
            Problem(
                f"{what} needs a PRIMARY KEY: it is the message key, and says which row a message updates or deletes.",
                span,
                "Add PRIMARY KEY (column) NOT ENFORCED to the column list.",
            )
        )
    choices: list[tuple[str, FormatOptions]] = []
    for name, choice in (("key.format", table.key_format), ("value.format", table.value_format)):
        if choice is not None and all(choice.span != seen.span for _, seen in choices):
            choices.append((name, choice))
    for name, choice in choices:
        if choice.spec is not None and choice.spec.changelog != INSERT_ONLY:
            problems.append(
                Problem(
                    f"'{table.scope.names.get(name, name)}' is '{choice.name}', which is for changes "
                    f"({render_changelog(choice.spec.changelog)}); an 'upsert-kafka' table makes the changes itself.",
                    choice.span,
                    f"Write 'json', 'csv' or 'avro', or use 'connector' = 'kafka' with 'format' = '{choice.name}'.",
                )
            )
    return problems
