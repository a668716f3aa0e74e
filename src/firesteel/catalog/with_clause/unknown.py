"""Finds the options that a table accepts, and describes the problem of a key that it does not accept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from firesteel.catalog.with_clause.dialect import current_name, old_names
from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.spec import ConnectorSpec, Key
from firesteel.formats.builtin import FORMATS
from firesteel.formats.spec import FormatSpec
from firesteel.options import legacy, message
from firesteel.options.entry import Given
from firesteel.options.option import Dialect, Option
from firesteel.options.spelling import nearest

#: Flink accepts this key on every table, and does not read it.
_PROPERTY_VERSION = "property-version"


class Choice(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def spec(self) -> FormatSpec | None: ...

    @property
    def prefix(self) -> str: ...


@dataclass(frozen=True)
class Target:
    """The option that an entry sets: of the connector (prefix '') or of a format, a client property, or both."""

    prefix: str
    option: Option[Any] | None = None
    property: str | None = None
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Accepted:
    dialect: Dialect
    connector: str
    spec: ConnectorSpec | None
    formats: tuple[Choice, ...]

    def target(self, entry: Given) -> Target | None:
        name = entry.key
        if name.startswith("properties.") and self._has_client:
            if self.dialect.is_old and entry.written == name:
                return None
            row = next((option for option in self._rows() if option.key == name), None)
            return Target("", row, name.removeprefix("properties."))
        # The options of an unknown format or connector are unknown too.
        if name == _PROPERTY_VERSION or self.spec is None:
            return Target("", property=None)
        for choice in self.formats:
            if name.startswith(choice.prefix):
                return self._format_target(choice, name.removeprefix(choice.prefix))
        for option in self._rows():
            if option.key == name and not self._is_foreign_spelling(option, entry):
                return Target("", option)
            for alias in option.aliases:
                if alias.key == name and not alias.dialect.is_old:
                    return Target("", option, values=alias.values)
        return next((Target("", row) for option in self._rows() if (row := option.named(name)) is not None), None)

    def _format_target(self, choice: Choice, bare: str) -> Target | None:
        if choice.spec is None:
            return Target(choice.prefix)
        for option in choice.spec.rows:
            if option.key == bare:
                return Target(choice.prefix, option)
            for alias in option.aliases:
                if alias.key == bare and not alias.dialect.is_old:
                    return Target(choice.prefix, option, values=alias.values)
        for prefix in choice.spec.open_prefixes:
            if bare.startswith(prefix):
                return Target(choice.prefix, property=bare.removeprefix(prefix))
        return None

    @property
    def _has_client(self) -> bool:
        """Checks whether the connector has a client with settings. An unknown one may have any settings."""
        return self.spec is None or any(row.key.startswith("properties.") for row in self.spec.rows)

    def _is_foreign_spelling(self, option: Option[Any], entry: Given) -> bool:
        """Checks for today's name of an option in a table whose old dialect has another name for it."""
        return self.dialect.is_old and entry.written == option.key and bool(old_names(option))

    def _rows(self) -> tuple[Option[Any], ...]:
        rows = self.spec.rows if self.spec else ()
        return (*rows, *legacy.ROWS) if self.dialect.is_old else rows

    def keys(self) -> Iterator[str]:
        """Yields every key that this table could have, as its dialect writes it."""
        for option in self._rows():
            yield from (old_names(option) if self.dialect.is_old and old_names(option) else (option.key,))
        for choice in self.formats:
            for option in choice.spec.rows if choice.spec else ():
                yield from (old_names(option) if self.dialect.is_old else ())
                yield f"{choice.prefix}{option.key}"


@dataclass(frozen=True)
class Unknown:
    """The problem of a key that the table does not accept, what to write, and the connector's option that was meant."""

    message: str
    hint: str
    meant: str | None = None


def describe_unknown(entry: Given, accepted: Accepted) -> Unknown:
    return (
        _other_dialect(entry, accepted)
        or _other_prefix(entry, accepted)
        or _other_connector(entry, accepted)
        or _nearest(entry, accepted)
    )


def _other_dialect(entry: Given, accepted: Accepted) -> Unknown | None:
    if accepted.dialect.is_old:
        for option in accepted.spec.rows if accepted.spec else ():
            if option.key == entry.key and old_names(option):
                return _newer_name(entry, old_names(option)[0])
        if entry.key.startswith("properties."):
            return _newer_name(entry, f"connector.{entry.key}")
        owner = next(
            (spec for spec in FORMATS if any(entry.key in old_names(option) for option in spec.rows)),
            None,
        )
        if owner is not None and accepted.formats:
            return Unknown(
                f"'{entry.written}' is an option of '{owner.name}', and 'format.type' is '{accepted.formats[0].name}'.",
                f"Remove it, or write 'format.type' = '{owner.name}'.",
            )
        return None
    if entry.key == "connector.type":
        return Unknown("'connector.type' is set together with 'connector'.", "Keep one: they name two dialects.")
    current = current_name(entry.key)
    if current is not None or entry.key.startswith(("connector.", "format.", "schema.")):
        what = f"'{entry.written}' is a name of tables with 'connector.type', and this one has 'connector'."
        return Unknown(what, f"Write '{current}'." if current else "Remove it.", meant=current)
    if any(option.key == entry.key for option in legacy.ROWS):
        return Unknown(
            f"'{entry.written}' is an option of Huawei DLI's tables, which have 'connector.type'.",
            "Remove it: the connector and the format say what the table takes.",
        )
    return None


def _newer_name(entry: Given, old: str) -> Unknown:
    what = f"'{entry.written}' is a name of tables with 'connector', and this one has 'connector.type'."
    return Unknown(what, f"Write '{old}'.", meant=entry.key)


def _split_format(key: str) -> tuple[str, FormatSpec, str] | None:
    """Splits 'value.json.ignore-parse-errors' into ('value.', json, 'ignore-parse-errors')."""
    side = next((side for side in ("key.", "value.") if key.startswith(side)), "")
    rest = key.removeprefix(side)
    for spec in FORMATS:
        if rest.startswith(f"{spec.name}."):
            return side, spec, rest.removeprefix(f"{spec.name}.")
    return None


def _other_prefix(entry: Given, accepted: Accepted) -> Unknown | None:
    parts = _split_format(entry.key)
    if parts is None:
        return None
    _, spec, bare = parts
    rows = [option.key for option in spec.rows]
    option = bare if bare in rows else nearest(bare, rows)
    own = [choice for choice in accepted.formats if choice.name == spec.name]
    if not own:
        used = " and ".join(f"'{choice.name}'" for choice in accepted.formats) or "none"
        return Unknown(
            f"'{entry.written}' is an option of the format '{spec.name}', and the table's format is {used}.",
            "Remove it, or change the format.",
        )
    if any(entry.key.startswith(choice.prefix) for choice in own):
        if option is None:
            return Unknown(
                f"'{entry.written}' is not an option of the format '{spec.name}'.",
                f"'firesteel options {spec.name}' lists them.",
            )
        prefix = next(choice.prefix for choice in own if entry.key.startswith(choice.prefix))
        return Unknown(f"'{entry.written}' is not an option of the format '{spec.name}'.", f"Write '{prefix}{option}'.")
    choice = own[-1]
    side = choice.prefix.split(".")[0] if choice.prefix.count(".") > 1 else ""
    chosen_by = f"'{side}.format'" if side in ("key", "value") else "'format'"
    return Unknown(
        f"'{entry.written}' has the wrong prefix: the table's format is chosen by {chosen_by}.",
        f"Write '{choice.prefix}{option or bare}'.",
    )


def _other_connector(entry: Given, accepted: Accepted) -> Unknown | None:
    if entry.key == message.FORMAT.key and (accepted.spec is None or accepted.spec.needs_format):
        return Unknown(
            f"'{entry.written}' is not an option of '{accepted.connector}' tables: key and value have a format each.",
            "Write 'key.format' and 'value.format'.",
        )
    if entry.key == message.KEY_FIELDS.key and (accepted.spec is None or accepted.spec.key is Key.PRIMARY_KEY):
        return Unknown(
            f"'{entry.written}' is not an option of '{accepted.connector}' tables.",
            "Remove it: the primary key is the message key.",
        )
    for other in CONNECTORS:
        if other.name != accepted.connector and any(
            entry.key == option.key or entry.key in (alias.key for alias in option.aliases) for option in other.rows
        ):
            return Unknown(
                f"'{entry.written}' is an option of '{other.name}' tables, and this one is '{accepted.connector}'.",
                "Remove it, or change the connector.",
            )
    return None


def _nearest(entry: Given, accepted: Accepted) -> Unknown:
    close = nearest(entry.written, accepted.keys())
    hint = f"Write '{close}'." if close else f"'firesteel options {accepted.connector}' lists them."
    rows = accepted.spec.rows if accepted.spec else ()
    meant = next((option.key for option in rows if close == option.key or close in old_names(option)), None)
    return Unknown(f"'{entry.written}' is not an option of '{accepted.connector}' tables.", hint, meant)
