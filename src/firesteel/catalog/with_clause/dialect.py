"""Translates option names of the old dialects into today's.

A table with `connector.type` uses the names of Flink 1.10, which Huawei DLI uses too. The rows of the options have
these old names; here they are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.spec import ConnectorSpec
from firesteel.errors import Problem, Severity
from firesteel.formats.builtin import FORMATS
from firesteel.options.entry import Given
from firesteel.options.option import Dialect, Option
from firesteel.options.secret import is_secret_key

_PROPERTIES = "connector.properties."
_INDEXED_PROPERTY = re.compile(r"connector\.properties\.(\d{1,6})\.(key|value)")
_INDEXED_OFFSET = re.compile(r"connector\.specific-offsets\.(\d{1,6})\.(partition|offset)")

_DERIVED = "the messages' schema is derived from the table's columns"
_IN_COLUMNS = "Declare the column, its METADATA or its WATERMARK in the column list instead."

#: Old keys without a counterpart: a pattern, why nothing is lost without the key, or None if something is, and what to
#: do.
_GONE: tuple[tuple[re.Pattern[str], str | None, str], ...] = (
    (re.compile(r"schema\.\d+\.(?:name|type|data-type)"), "the column list says what columns there are", "Remove it."),
    (re.compile(r"schema\..*"), None, _IN_COLUMNS),
    (re.compile(r"format\.(?:schema|json-schema|fields\..*)"), _DERIVED, "Remove it."),
    (
        re.compile(r"format\.record-class"),
        None,
        "Remove it, when the columns with their NOT NULL say the same as the class's schema: a Java class cannot be read.",
    ),
    (re.compile(r"format\.line-delimiter"), "a message is one row and has no line end", "Remove it."),
    (
        re.compile(r"connector\.properties\.zookeeper\.connect"),
        "clients have not used ZooKeeper since Kafka 0.9",
        "Remove it.",
    ),
)

#: Options that only Flink 1.9 and 1.10 have beside `connector.type`, not DLI.
_FLINK_ONLY = re.compile(
    r"connector\.property-version|format\.property-version|format\.derive-schema|format\.schema|format\.json-schema"
    r"|format\.fields\..*|connector\.properties\.(?:\d{1,6}\.(?:key|value)|zookeeper\.connect)|schema\..*"
)
#: Options that only DLI has.
_DLI_ONLY = re.compile(
    r"connector\.topic-pattern|connector\.startup-timestamp-millis|connector\.sink\.ignore-retraction"
)


def detect_dialect(given: Iterable[Given]) -> Dialect:
    """Finds the dialect. DLI is returned for both old dialects: their names are the same, and `is_flink_1_10`
    distinguishes them.
    """
    keys = {entry.key for entry in given}
    return Dialect.DLI if "connector.type" in keys and "connector" not in keys else Dialect.FLINK


def is_flink_1_10(given: Iterable[Given]) -> bool | None:
    """Checks whether a table in an old dialect is Flink 1.9's or 1.10's and not Huawei DLI's. Returns None if that
    cannot be decided.
    """
    entries = tuple(given)
    texts = {entry.key: entry.text.lower() for entry in entries}
    if any(_DLI_ONLY.fullmatch(entry.written) for entry in entries):
        return False
    if texts.get("connector.type") == "upsert-kafka" or texts.get("update-mode", "append") != "append":
        return False
    flink = texts.get("connector.version") == "universal" or any(
        _FLINK_ONLY.fullmatch(entry.written) for entry in entries
    )
    return True if flink else None


def old_names(option: Option[Any]) -> tuple[str, ...]:
    return tuple(alias.key for alias in option.aliases if alias.dialect.is_old)


def _all_old_names() -> Iterator[tuple[str, str]]:
    for connector in CONNECTORS:
        for option in connector.rows:
            yield from ((old, option.key) for old in old_names(option))
    for spec in FORMATS:
        for option in spec.rows:
            yield from ((old, f"{spec.name}.{option.key}") for old in old_names(option))


def current_name(old: str) -> str | None:
    """Returns today's name of an old one, for a table that mixes the two."""
    if old.startswith(_PROPERTIES):
        return old.removeprefix("connector.")
    return next((name for known, name in _all_old_names() if known == old), None)


def gone(entry: Given) -> Problem | None:
    for pattern, reason, hint in _GONE:
        if pattern.fullmatch(entry.written):
            if reason is None:
                return Problem(f"'{entry.written}' is not supported.", entry.key_span, hint)
            return Problem(f"'{entry.written}' has no effect here: {reason}.", entry.key_span, hint, Severity.WARNING)
    return None


def translate(
    given: tuple[Given, ...], connector: ConnectorSpec | None, formats: tuple[str, ...]
) -> tuple[tuple[Given, ...], tuple[Problem, ...]]:
    """Translates every old name to today's, with the prefixes of `formats` (`json`, or `key.json` and `value.json`)."""
    known: dict[str, list[str]] = {}
    for option in connector.rows if connector else ():
        for old in old_names(option):
            known.setdefault(old, []).append(option.key)
    for spec in FORMATS:
        for prefix in (prefix for prefix in formats if prefix.split(".")[-1] == spec.name):
            for option in spec.rows:
                for old in old_names(option):
                    known.setdefault(old, []).append(f"{prefix}.{option.key}")
    given, problems = _gather_indexed(given)
    translated: list[Given] = []
    for entry in given:
        removed = gone(entry)
        if removed is not None:
            problems.append(removed)
        elif entry.key in known:
            translated += [replace(entry, key=key) for key in known[entry.key]]
        elif entry.key.startswith(_PROPERTIES):
            translated.append(replace(entry, key=entry.key.removeprefix("connector.")))
        else:
            translated.append(entry)
    entries = tuple(translated)
    if connector is not None and connector.translate_old is not None:
        entries = connector.translate_old(entries, problems)
    return entries, tuple(problems)


def _gather_indexed(given: tuple[Given, ...]) -> tuple[tuple[Given, ...], list[Problem]]:
    """Joins `connector.properties.0.key` and `.value` to one property, and `connector.specific-offsets.0.*` to one text."""
    problems: list[Problem] = []
    plain: list[Given] = []
    properties: dict[int, dict[str, Given]] = {}
    offsets: dict[int, dict[str, Given]] = {}
    for entry in given:
        if matched := _INDEXED_PROPERTY.fullmatch(entry.key):
            properties.setdefault(int(matched[1]), {})[matched[2]] = entry
        elif matched := _INDEXED_OFFSET.fullmatch(entry.key):
            offsets.setdefault(int(matched[1]), {})[matched[2]] = entry
        else:
            plain.append(entry)
    written = {entry.key for entry in plain}
    for pair in _pairs(properties, ("key", "value"), problems):
        key = f"{_PROPERTIES}{pair['key'].text}"
        if key not in written:
            value = pair["value"]
            plain.append(replace(value, key=key, hidden=value.hidden or is_secret_key(key)))
    texts = [
        f"partition:{pair['partition'].text},offset:{pair['offset'].text}"
        for pair in _pairs(offsets, ("partition", "offset"), problems)
    ]
    if texts and "connector.specific-offsets" not in written:
        first = next(iter(offsets[min(offsets)].values()))
        plain.append(replace(first, key="connector.specific-offsets", text=";".join(texts)))
    return tuple(plain), problems


def _pairs(
    groups: dict[int, dict[str, Given]], names: tuple[str, str], problems: list[Problem]
) -> Iterator[dict[str, Given]]:
    for _, group in sorted(groups.items()):
        missing = [name for name in names if name not in group]
        if not missing:
            yield group
            continue
        entry = next(iter(group.values()))
        other = f"{entry.written.rpartition('.')[0]}.{missing[0]}"
        problems.append(
            Problem(f"'{entry.written}' is set and needs '{other}'.", entry.key_span, f"Add '{other}', or remove both.")
        )
