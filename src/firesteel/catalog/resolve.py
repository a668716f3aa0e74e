"""Resolves a CREATE TABLE to a `Table`: the only module where columns, options and formats are combined."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from firesteel.catalog.advice import advise, advise_legacy
from firesteel.catalog.avro_schema import written_fields
from firesteel.catalog.column import resolve_columns, resolve_primary_key, resolve_watermark
from firesteel.catalog.key import bind_formats, check_key, is_keyless
from firesteel.catalog.layout import check_layout
from firesteel.catalog.metadata import check_metadata_as_sink, check_metadata_as_source
from firesteel.catalog.subject import check_subject
from firesteel.catalog.table import Column, Physical, Table
from firesteel.catalog.with_clause.resolve import TableOptions, resolve_options
from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.spec import Key
from firesteel.errors import Problem
from firesteel.formats.bound import BoundFormat
from firesteel.formats.spec import check_format
from firesteel.options.kind import quoted
from firesteel.options.legacy import FORMAT_AVRO_SCHEMA
from firesteel.options.option import Side
from firesteel.options.rule import check_rules
from firesteel.sql.statement import CreateTable, OptionEntry
from firesteel.types import Field


def resolve_definition(
    statement: CreateTable, environment: Mapping[str, str] | None = None
) -> tuple[Table, frozenset[str], tuple[Problem, ...]]:
    """Resolves a CREATE TABLE. Returns the table, the secrets in its options, and the problems it has as source and as sink alike.

    Returns a table even if there are errors, so that the statements that use it can be checked too.
    """
    environment = os.environ if environment is None else environment
    span = statement.name.span
    problems: list[Problem] = []
    columns = resolve_columns(statement, problems)
    primary_key, columns = resolve_primary_key(statement.primary_key, columns, problems)
    watermark = resolve_watermark(statement.watermarks, columns, problems)
    sound = not any(problem.is_error for problem in problems)
    options, found = resolve_options(statement.options, span, environment)
    problems += found
    key_format, value_format = bind_formats(options, columns, primary_key, problems)
    value_format = _with_given_schema(options, value_format, problems)
    problems += check_key(options, primary_key, statement.primary_key.span if statement.primary_key else None, span)
    spans = {column.name: column.span for column in columns}
    for bound, choice in ((key_format, options.key_format), (value_format, options.value_format)):
        if bound is not None and choice is not None and choice.spec is not None:
            found = check_format(choice.spec, bound, choice.prefix, spans, span)
            problems += [problem for problem in found if problem not in problems]
    problems += _rule_problems(options, Side.BOTH)
    problems += advise_legacy(options, columns)
    if options.spec is not None and options.spec.key is not Key.NONE:
        problems += check_layout(statement, key_format.columns if key_format else ())
    if is_keyless(options):
        primary_key = ()
    table = Table(
        statement.name.text,
        options.connector,
        columns,
        primary_key,
        watermark,
        options.options,
        key_format,
        value_format,
        span,
        statement.comment,
        sound=sound,
    )
    as_source = [*_check_fields(options, columns), *_check_as_source(options, columns, environment)]
    as_sink = _check_as_sink(options, columns, environment)
    # A problem on both sides is a problem of the table itself, and is reported once.
    shared = set(as_source) & set(as_sink)
    both = [problem for problem in as_source if problem in shared]
    problems += both
    table = replace(
        table,
        problems_as_source=tuple(problem for problem in as_source if problem not in shared),
        problems_as_sink=tuple(problem for problem in as_sink if problem not in shared),
    )
    return table, options.secrets, tuple(problems)


def _with_given_schema(options: TableOptions, value_format: BoundFormat, problems: list[Problem]) -> BoundFormat:
    """Gives the value's fields the nullability of the schema in `format.avro-schema`, where a table of an old dialect has it."""
    schema = options.options.get(FORMAT_AVRO_SCHEMA)
    if schema is None:
        return value_format
    fields, wrong = written_fields(schema, value_format.fields)
    if wrong:
        message = f"'{FORMAT_AVRO_SCHEMA.key}' is not what the columns say: {'; '.join(wrong)}."
        hint = "Declare the columns as that schema has them, in its order."
        problems.append(Problem(message, options.scope.where(FORMAT_AVRO_SCHEMA), hint))
    return replace(value_format, fields=fields)


def with_hints(statement: CreateTable, hints: tuple[OptionEntry, ...]) -> CreateTable:
    """Returns the statement with the options of an `/*+ OPTIONS(…) */` hint, which replace the table's own."""
    changed = {entry.key.value for entry in hints}
    return replace(
        statement, options=(*(entry for entry in statement.options if entry.key.value not in changed), *hints)
    )


def _rule_problems(options: TableOptions, side: Side) -> list[Problem]:
    problems = list(check_rules(options.spec.rules, options.scope, side)) if options.spec else []
    for choice in (options.key_format, options.value_format):
        if choice is not None and choice.spec is not None:
            found = check_rules(choice.spec.rules, choice.scope, side)
            problems += [problem for problem in found if problem not in problems]
    return problems


def _check_side(options: TableOptions, side: Side) -> list[Problem]:
    spec = options.spec
    if spec is None or side in spec.side:
        return []
    can, cannot = ("written", "read") if side is Side.SOURCE else ("read", "written")
    others = quoted([other.name for other in CONNECTORS if side in other.side])
    message = f"A table with 'connector' = '{spec.name}' can only be {can}, and here it is {cannot}."
    return [
        Problem(message, options.options.spans.get("connector"), f"Tables that can be {cannot} have one of {others}.")
    ]


def _check_fields(options: TableOptions, columns: tuple[Column, ...]) -> tuple[Problem, ...]:
    if options.spec is None or options.spec.check_fields is None:
        return ()
    fields = tuple(Field(column.name, column.type) for column in columns if isinstance(column, Physical))
    return options.spec.check_fields(fields, options.options)


def _check_as_source(
    options: TableOptions, columns: tuple[Column, ...], environment: Mapping[str, str]
) -> list[Problem]:
    return [
        *_check_side(options, Side.SOURCE),
        *_rule_problems(options, Side.SOURCE),
        *check_metadata_as_source(options, columns),
        *_check_client(options, Side.SOURCE, environment),
        *advise(options, Side.SOURCE),
    ]


def _check_as_sink(options: TableOptions, columns: tuple[Column, ...], environment: Mapping[str, str]) -> list[Problem]:
    return [
        *_check_side(options, Side.SINK),
        *_rule_problems(options, Side.SINK),
        *check_metadata_as_sink(options, columns),
        *_check_client(options, Side.SINK, environment),
        *check_subject(options),
        *advise(options, Side.SINK),
    ]


def _check_client(options: TableOptions, side: Side, environment: Mapping[str, str]) -> tuple[Problem, ...]:
    check = options.spec.check_client if options.spec is not None else None
    return check(options.options, side, options.properties_prefix, environment) if check is not None else ()
