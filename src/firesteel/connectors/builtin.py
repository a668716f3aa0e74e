"""Lists every connector. A new one is a folder, a run time in `spark/connector`, and a line here."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from firesteel.connectors.blackhole.spec import BLACKHOLE
from firesteel.connectors.client_reference import ClientReference
from firesteel.connectors.datagen.spec import DATAGEN
from firesteel.connectors.kafka.spec import DYNAMIC_KAFKA, KAFKA, UPSERT_KAFKA
from firesteel.connectors.print.spec import PRINT
from firesteel.connectors.spec import ConnectorSpec
from firesteel.formats.builtin import FORMATS

CONNECTORS: tuple[ConnectorSpec, ...] = (KAFKA, UPSERT_KAFKA, DYNAMIC_KAFKA, DATAGEN, PRINT, BLACKHOLE)


def connector(name: str) -> ConnectorSpec | None:
    return next((spec for spec in CONNECTORS if name == spec.name or name in spec.other_names), None)


def client_references() -> tuple[ClientReference, ...]:
    """Describes the settings of every connector's client, for the reference pages."""
    names = dict.fromkeys(spec.client_reference for spec in CONNECTORS if spec.client_reference)
    parts = (name.partition(":") for name in names)
    return tuple(getattr(import_module(f"{__package__}.{module}"), what)() for module, _, what in parts)


def load_worker_modules() -> None:
    """Loads what Python workers need of every connector, so that processes forked from this one have it."""
    for name in dict.fromkeys(name for spec in CONNECTORS for name in spec.worker_modules):
        import_module(f"firesteel.spark.connector.{name}")


@cache
def vocabulary() -> frozenset[str]:
    """Gives the words of the options, which messages are made of: one that is somebody's password too is not hidden."""
    names = {name for spec in CONNECTORS for name in (spec.name, *spec.other_names)} | {spec.name for spec in FORMATS}
    keys = {row.key for spec in CONNECTORS for row in spec.rows} | {row.key for spec in FORMATS for row in spec.rows}
    return frozenset({*names, *keys, *(part for key in keys for part in re.split(r"[.\-]", key))})


@cache
def client_settings() -> frozenset[str]:
    """Gives the names of all settings that a connector's client has."""
    return frozenset().union(*(spec.client_settings for spec in CONNECTORS))
