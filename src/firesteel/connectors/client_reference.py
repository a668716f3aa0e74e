"""Describes the settings of a connector's client for the reference pages, in English and in Chinese."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.options.kind import STRING
from firesteel.options.option import Kind, Side

#: A text in English and in Chinese.
Text = tuple[str, str]


@dataclass(frozen=True)
class ClientSetting:
    """A setting that can be given: `side` is where it acts, `client_name` what the client calls it where that is another name."""

    name: str
    summary: Text
    side: Side = Side.BOTH
    kind: Kind[object] = STRING
    client_name: str = ""


@dataclass(frozen=True)
class UnusedSetting:
    """A setting that has no effect or is refused; without a `reason` nothing depends on it."""

    name: str
    reason: Text | None = None


@dataclass(frozen=True)
class ClientReference:
    """A page about a client's settings, which a table has below `properties.`."""

    client: str
    title: Text
    intro: Text
    settings: tuple[ClientSetting, ...]
    idle: tuple[UnusedSetting, ...]
    refused: tuple[UnusedSetting, ...]
