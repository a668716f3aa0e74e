"""Says what a connector is, as data: its options, what it reads and writes, what key it has, and which module runs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from firesteel.changelog.kind import Changelog
from firesteel.errors import Problem, Span
from firesteel.options.entry import Given
from firesteel.options.metadata import MetadataKey
from firesteel.options.option import Option, Side
from firesteel.options.rule import Rule, Scope
from firesteel.options.value import OptionValues
from firesteel.types import Field


class Key(Enum):
    """What a PRIMARY KEY is to a connector."""

    #: It means nothing to it: the table may have one, and the rows have no message key.
    NONE = "none"
    #: The message key is chosen by options; a PRIMARY KEY needs a format that carries changes.
    OPTIONAL = "optional"
    #: The PRIMARY KEY is the message key, and has to be there.
    PRIMARY_KEY = "primary key"


def _no_identity(options: OptionValues) -> str:
    return ""


def _never(options: OptionValues) -> bool:
    return False


class DeliveryGuarantee(Enum):
    """What a failure may do to the rows that were written."""

    EXACTLY_ONCE = "exactly-once"
    AT_LEAST_ONCE = "at-least-once"
    NONE = "none"


@dataclass(frozen=True)
class UserClass:
    """A Python class of the user's that an option names, as `package.module.Class`."""

    path: str
    span: Span | None

    @property
    def module(self) -> str:
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


@dataclass(frozen=True)
class Places:
    """What a table is read from and written to, by name, on its cluster: equal for tables of the same."""

    cluster: str = ""
    names: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None


def _no_places(options: OptionValues) -> Places:
    return Places()


def _one_place(scope: Scope) -> Option[Any] | None:
    return None


def _at_least_once(options: OptionValues) -> DeliveryGuarantee:
    return DeliveryGuarantee.AT_LEAST_ONCE


def _no_class(options: OptionValues) -> UserClass | None:
    return None


Advice = Callable[[Scope], list[Problem]]

#: Checks the options of single columns: the physical columns and the options of a table.
FieldCheck = Callable[[tuple[Field, ...], OptionValues], tuple[Problem, ...]]

#: Checks the settings of a connector's client: the table's options, the side it is used on, how its dialect writes the
#: prefix of those settings, and the environment.
ClientCheck = Callable[[OptionValues, Side, str, Mapping[str, str]], tuple[Problem, ...]]

#: Finishes the translation of an old dialect's entries into today's, and reports what it finds.
Translation = Callable[[tuple[Given, ...], list[Problem]], tuple[Given, ...]]


@dataclass(frozen=True)
class ConnectorSpec:
    """`other_names` are those that older versions had. `is_` is the connector that it only is another way to write."""

    name: str
    rows: tuple[Option[Any], ...]
    rules: tuple[Rule, ...] = ()
    metadata: tuple[MetadataKey, ...] = ()
    other_names: tuple[str, ...] = ()
    is_: str | None = None
    #: Whether its tables can be read, written, or both.
    side: Side = Side.BOTH
    #: The kinds of rows that it gives and takes; None: those of the value format.
    reads: Changelog | None = None
    writes: Changelog | None = None
    key: Key = Key.NONE
    needs_format: bool = False
    #: Whether all of its rows are read one after the other, if that is what the options say.
    is_bounded: Callable[[OptionValues], bool] = _never
    #: What is read, as text: it stands in the text of a job's state.
    identity: Callable[[OptionValues], str] = _no_identity
    check_fields: FieldCheck | None = None
    #: What to warn of whoever reads, or writes, such a table.
    advise_source: Advice | None = None
    advise_sink: Advice | None = None
    #: The topics of a table, or what else is read and written under a name; to find rows that a job reads again.
    places: Callable[[OptionValues], Places] = _no_places
    #: The option by which a table names several of those, so that each row has to say where it goes; None: it names one.
    several_places: Callable[[Scope], Option[Any] | None] = _one_place
    #: What it promises about the rows that are written.
    guarantee: Callable[[OptionValues], DeliveryGuarantee] = _at_least_once
    #: The user's own class that says which partition a row goes to.
    partitioner: Callable[[OptionValues], UserClass | None] = _no_class
    #: The names of the settings of its client, and what checks them.
    client_settings: frozenset[str] = frozenset()
    check_client: ClientCheck | None = None
    #: What describes those settings, as `kafka.reference:client_reference` below `firesteel.connectors`, for the reference pages.
    client_reference: str = ""
    translate_old: Translation | None = None
    #: The connector that an old dialect's table of this one is if it updates rows.
    updates_as: str | None = None
    #: What reads and writes its tables, as `kafka.runtime:KafkaRuntime` below `firesteel.spark.connector`: loaded when a job starts.
    runtime: str = ""
    #: The modules in the same place that Python workers need, which are loaded before workers are forked.
    worker_modules: tuple[str, ...] = ()

    @property
    def behaves_as(self) -> str:
        return self.is_ or self.name
