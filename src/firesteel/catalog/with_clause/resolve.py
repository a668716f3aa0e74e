"""Resolves the entries of a WITH clause to typed options: dialect, aliases, formats, values. Reports all mistakes at
once, each at its position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from firesteel.catalog.with_clause.absent import ABSENT_CONNECTORS, ABSENT_FORMATS
from firesteel.catalog.with_clause.dialect import detect_dialect, is_flink_1_10, old_names, translate
from firesteel.catalog.with_clause.foreign import foreign
from firesteel.catalog.with_clause.placeholder import check_placeholder
from firesteel.catalog.with_clause.unknown import Accepted, Target, describe_unknown
from firesteel.connectors.builtin import CONNECTORS, connector
from firesteel.connectors.spec import ConnectorSpec, Key
from firesteel.errors import Problem, Severity, Span
from firesteel.formats.builtin import FORMATS, format_named
from firesteel.formats.spec import FormatSpec
from firesteel.options import legacy, message, table
from firesteel.options.entry import Entry, Given, read_entries
from firesteel.options.kind import FORMAT
from firesteel.options.legacy import UpdateMode, Version
from firesteel.options.option import Dialect, Option
from firesteel.options.rule import Scope
from firesteel.options.secret import Secret
from firesteel.options.spelling import nearest
from firesteel.options.value import OptionValues

T = TypeVar("T")


@dataclass(frozen=True)
class FormatOptions:
    """A table's choice of one format. `spec` is None if there is no format of that name."""

    name: str
    spec: FormatSpec | None
    prefix: str
    scope: Scope
    span: Span

    @property
    def options(self) -> OptionValues:
        return self.scope.values


@dataclass(frozen=True)
class TableOptions:
    """The options of a WITH clause. `connector` is the one whose behaviour the table has; `spec` is None for an unknown one."""

    dialect: Dialect
    connector: str
    spec: ConnectorSpec | None
    scope: Scope
    key_format: FormatOptions | None = None
    value_format: FormatOptions | None = None
    secrets: frozenset[str] = field(default_factory=frozenset)
    #: Whether the table is Flink 1.9's or 1.10's and not DLI's, whose names are the same; None if that cannot be
    #: decided.
    flink_1_10: bool | None = False

    @property
    def options(self) -> OptionValues:
        return self.scope.values

    @property
    def properties_prefix(self) -> str:
        return "connector.properties." if self.dialect.is_old else "properties."


def resolve_options(
    entries: Iterable[Entry], span: Span, environment: Mapping[str, str]
) -> tuple[TableOptions, tuple[Problem, ...]]:
    """Resolves the options of one table. Missing options are reported at `span`."""
    given, found = read_entries(entries, environment)
    problems = list(found)
    dialect = detect_dialect(given)
    name, spec = _find_connector(given, dialect, span, problems)
    flink_1_10 = is_flink_1_10(given) if dialect.is_old else False
    if dialect.is_old:
        behaves_as = _behaves_as(name, given)
        spec = connector(behaves_as) or spec
        given, translation = translate(given, spec, _old_prefixes(spec, given))
        problems += translation
        name = behaves_as
    by_key = {entry.key: entry for entry in given}
    # An unknown connector may have other formats, so do not report unknown ones.
    about_formats: list[Problem] = problems if spec is not None and spec.needs_format else []
    key_choice = _choose_format(by_key.get(message.KEY_FORMAT.key), "key.", about_formats)
    value_entry = by_key.get(message.VALUE_FORMAT.key)
    value_prefix = "value."
    if message.FORMAT.key in by_key and (spec is None or message.FORMAT in spec.rows):
        value_entry, value_prefix = by_key[message.FORMAT.key], ""
    value_choice = _choose_format(
        value_entry, value_prefix, about_formats, seen=key_choice if dialect.is_old and value_prefix else None
    )
    accepted = Accepted(
        dialect, spec.name if spec else name, spec, tuple(choice for choice in (key_choice, value_choice) if choice)
    )
    reader = _Reader(accepted, problems)
    for entry in given:
        reader.read(entry)
    if spec is not None:
        _check_required(spec.rows, reader.scope("", span, _spell(spec.rows, "", dialect)), problems, by_key)
    if dialect.is_old:
        _check_old(spec is not None and spec.key is Key.PRIMARY_KEY, reader, problems)

    def bound(choice: _Choice | None, entry: Given | None) -> FormatOptions | None:
        if choice is None or entry is None:
            return None
        rows = choice.spec.rows if choice.spec else ()
        if flink_1_10 and choice.spec is not None and choice.spec.legacy is not None:
            reader.set(choice.prefix, choice.spec.legacy, True)
        scope = reader.scope(choice.prefix, entry.span, _spell(rows, choice.prefix, dialect))
        _check_required(rows, scope, problems, by_key)
        return FormatOptions(choice.name, choice.spec, choice.prefix, scope, entry.span)

    rows = spec.rows if spec else ()
    resolved = TableOptions(
        dialect,
        spec.behaves_as if spec else name,
        spec,
        reader.scope("", span, _spell(rows, "", dialect)),
        bound(key_choice, by_key.get(message.KEY_FORMAT.key)),
        bound(value_choice, value_entry),
        frozenset(secret for entry in given for secret in entry.secrets),
        flink_1_10,
    )
    return resolved, tuple(problems)


@dataclass(frozen=True)
class _Choice:
    name: str
    spec: FormatSpec | None
    prefix: str


def _find_connector(
    given: tuple[Given, ...], dialect: Dialect, span: Span, problems: list[Problem]
) -> tuple[str, ConnectorSpec | None]:
    key = "connector.type" if dialect.is_old else "connector"
    entry = next((entry for entry in given if entry.key == key), None)
    if entry is None:
        problems.append(
            Problem("The table needs 'connector'.", span, "Add 'connector' = 'kafka' or 'connector' = 'upsert-kafka'.")
        )
        return "", None
    spec = connector(entry.text)
    if spec is None:
        *names, last = [known.name for known in CONNECTORS]
        absent = entry.text.lower() in ABSENT_CONNECTORS
        close = None if absent else nearest(entry.text, [*names, last], 0.6)
        hint = f"Write '{close}'." if close else f"Firesteel has {', '.join(map(repr, names))} and {last!r}."
        what = "is not supported yet" if absent else "is no connector"
        problems.append(Problem(f"'{key}' is '{entry.shown}', which {what}.", entry.value_span, hint))
    return entry.text, spec


def _behaves_as(name: str, given: tuple[Given, ...]) -> str:
    """Returns the connector whose behaviour the table has: DLI's `kafka` with `update-mode` upsert or retract is an
    upsert table.
    """
    mode = next((entry.text.lower() for entry in given if entry.key == legacy.UPDATE_MODE.key), "")
    updating = (UpdateMode.UPSERT.value, UpdateMode.RETRACT.value)
    spec = connector(name)
    if spec is None or spec.name != name or mode not in updating:
        return name
    return spec.updates_as or name


def _old_prefixes(spec: ConnectorSpec | None, given: tuple[Given, ...]) -> tuple[str, ...]:
    name = next((entry.text for entry in given if entry.key == "format.type"), None)
    if name is None:
        return ()
    return (f"key.{name}", f"value.{name}") if spec is not None and spec.key is Key.PRIMARY_KEY else (name,)


def _choose_format(
    entry: Given | None, side: str, problems: list[Problem], seen: _Choice | None = None
) -> _Choice | None:
    """Finds the format that an entry names. `seen`: the same entry has been looked up for the key, and an unknown name
    has been reported.
    """
    if entry is None:
        return None
    spec = format_named(entry.text)
    if spec is None and seen is None:
        names = [known.name for known in FORMATS]
        absent = entry.text.lower() in ABSENT_FORMATS
        close = None if absent else nearest(entry.text, names, 0.6)
        hint = f"Write '{close}'." if close else f"The formats are {', '.join(names)}."
        what = "is not supported yet" if absent else "is no format"
        problems.append(Problem(f"'{entry.written}' is '{entry.shown}', which {what}.", entry.value_span, hint))
    return _Choice(entry.text, spec, f"{side}{entry.text}.")


def _spell(rows: Iterable[Option[Any]], prefix: str, dialect: Dialect) -> dict[str, str]:
    """Returns the names that this table would use for the options it has not set."""
    own_names: dict[str, str] = {}
    for option in rows:
        old = old_names(option) if dialect.is_old else ()
        own_names[option.key] = old[0] if old else f"{prefix}{option.key}"
    return own_names


class _Reader:
    """Collects typed values by the prefix of the connector or format they belong to."""

    def __init__(self, accepted: Accepted, problems: list[Problem]) -> None:
        self._accepted = accepted
        self._problems = problems
        self._values: dict[str, dict[str, object]] = {}
        self._spans: dict[str, dict[str, Span]] = {}
        self._names: dict[str, dict[str, str]] = {}
        self._properties: dict[str, dict[str, str]] = {}

    def scope(self, prefix: str, span: Span, own_names: Mapping[str, str]) -> Scope:
        values = OptionValues(
            self._values.get(prefix, {}), self._spans.get(prefix, {}), self._properties.get(prefix, {})
        )
        return Scope(values, span, {**own_names, **self._names.get(prefix, {})})

    def set(self, prefix: str, option: Option[T], value: T) -> None:
        """Sets a value that a script cannot write and that follows from the table's dialect."""
        self._values.setdefault(prefix, {})[option.key] = value

    def read(self, entry: Given) -> None:
        unfilled = check_placeholder(entry)
        if unfilled is not None:
            self._problems.append(unfilled)
        vendors = foreign(entry)
        if vendors is not None:
            self._problems.append(vendors)
            return
        target = self._accepted.target(entry)
        if target is None:
            unknown = describe_unknown(entry, self._accepted)
            self._problems.append(Problem(unknown.message, entry.key_span, unknown.hint))
            if unknown.meant is not None:
                # Do not report the option that was meant as missing too.
                self._spans.setdefault("", {}).setdefault(unknown.meant, entry.span)
            return
        if target.option is None and target.property is None:
            return
        if target.property is not None and not entry.failed:
            self._properties.setdefault(target.prefix, {})[target.property] = (
                Secret(entry.text) if entry.hidden else entry.text
            )
        if self._is_new(entry, target) and target.option is not None:
            self._read_value(entry, target, target.option)

    def _is_new(self, entry: Given, target: Target) -> bool:
        """Notes where an option is set. Returns False if it is set under another name too, and that one counts."""
        option = target.option
        key = option.key if option is not None else f"properties.{target.property}"
        spans, names = self._spans.setdefault(target.prefix, {}), self._names.setdefault(target.prefix, {})
        if key in names:
            # Flink lets the older 'sink.semantic' win over 'sink.delivery-guarantee'.
            winner = entry.written if entry.written != key else names[key]
            self._problems.append(
                Problem(
                    f"'{entry.written}' is another name of '{names[key]}', which is set too; '{winner}' counts.",
                    entry.key_span,
                    "Keep one of them.",
                    Severity.WARNING,
                )
            )
            if winner != entry.written:
                return False
        spans[key], names[key] = entry.span, entry.written
        return True

    def _read_value(self, entry: Given, target: Target, option: Option[Any]) -> None:
        """Parses an option's value."""
        if option.without_effect is not None:
            self._problems.append(
                Problem(
                    f"'{entry.written}' has no effect here: {option.without_effect}.",
                    entry.key_span,
                    "Remove it.",
                    Severity.WARNING,
                )
            )
        if entry.failed:
            return
        text = next((new for old, new in target.values if old == entry.text.lower()), entry.text)
        try:
            value: object = option.kind.parse(text)
        except ValueError as expected:
            self._problems.append(
                Problem(
                    f"'{entry.written}' is '{entry.shown}', but {expected}.",
                    entry.value_span,
                    _close_value(option, entry),
                )
            )
            return
        # A group id from an environment variable is used unmasked, but whatever is printed masks it.
        if isinstance(value, str) and option.secret:
            value = Secret(value)
        self._values.setdefault(target.prefix, {})[option.key] = value


def _close_value(option: Option[Any], entry: Given) -> str | None:
    texts: tuple[str, ...] = getattr(option.kind, "texts", ())
    close = None if entry.hidden else nearest(entry.text, texts, 0.6)
    return f"Write '{close}'." if close else None


def _check_required(
    rows: Iterable[Option[Any]], scope: Scope, problems: list[Problem], by_key: Mapping[str, Given]
) -> None:
    for option in rows:
        if not option.required or scope.written(option) or option.key == table.CONNECTOR.key:
            continue
        # A table that has 'format' but needs both names has been reported, with what to write instead.
        if option.key == message.VALUE_FORMAT.key and message.FORMAT.key in by_key:
            continue
        # One old name can stand for two options; report it as missing once.
        missing = f"The table needs {scope.name(option)}."
        if not any(problem.message == missing and problem.span == scope.span for problem in problems):
            hint = "Add it, such as 'json'." if option.kind == FORMAT else f"Add it. {option.summary}"
            problems.append(Problem(missing, scope.span, hint))


def _check_old(is_keyed: bool, reader: _Reader, problems: list[Problem]) -> None:
    """Checks the rules of the old dialects."""
    scope = reader.scope("", Span(0, 0), {})
    if (
        is_keyed
        and scope.values.get(legacy.UPDATE_MODE) is None
        and scope.values.get(legacy.CONNECTOR_VERSION) not in (None, Version.V0_11)
    ):
        problems.append(
            Problem(
                "'connector.version' is not '0.11', the only version 'upsert-kafka' knows.",
                scope.where(legacy.CONNECTOR_VERSION),
                "Write '0.11', or remove it: it has no effect here.",
            )
        )
    if not is_keyed and scope.written(legacy.SINK_IGNORE_RETRACTION):
        problems.append(
            Problem(
                f"'{legacy.SINK_IGNORE_RETRACTION.key}' is an option of 'upsert-kafka' tables.",
                scope.where(legacy.SINK_IGNORE_RETRACTION),
                "Remove it, or write 'connector.type' = 'upsert-kafka'.",
            )
        )
