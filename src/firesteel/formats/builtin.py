"""Lists every format. To add one, add a folder and a line here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from firesteel.formats.avro.spec import AVRO
from firesteel.formats.avro_confluent.spec import AVRO_CONFLUENT
from firesteel.formats.bound import BoundFormat
from firesteel.formats.canal.spec import CANAL
from firesteel.formats.csv.spec import CSV
from firesteel.formats.debezium.spec import DEBEZIUM
from firesteel.formats.json.spec import JSON
from firesteel.formats.maxwell.spec import MAXWELL
from firesteel.formats.ogg.spec import OGG
from firesteel.formats.raw.spec import RAW
from firesteel.formats.spec import FormatSpec

if TYPE_CHECKING:
    # Imported for annotations only: `check` loads no Arrow.
    from firesteel.formats.codec import Decoder, Encoder

FORMATS: tuple[FormatSpec, ...] = (CSV, JSON, AVRO, DEBEZIUM, CANAL, MAXWELL, OGG, RAW, AVRO_CONFLUENT)

_NO_METADATA: Mapping[str, str] = MappingProxyType({})


def format_named(name: str) -> FormatSpec | None:
    return next((spec for spec in FORMATS if spec.name == name), None)


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str] = _NO_METADATA) -> Decoder:
    """Makes a decoder whose batches have exactly `columns`, given by their names in the table, and then those of
    `metadata`.

    `metadata` maps column names to the format's keys without `value.`; nothing else is decoded.
    """
    spec = _find(bound.name)
    make = _load(spec.decoder)
    if spec.metadata:
        decoder: Decoder = make(bound, columns, metadata)
        return decoder
    for column, key in metadata.items():
        raise ValueError(f"'{column}' is the metadata 'value.{key}', which '{bound.name}' does not have.")
    plain: Decoder = make(bound, columns)
    return plain


def make_encoder(bound: BoundFormat) -> Encoder:
    """Makes an encoder of batches that have the format's columns in the format's order."""
    encoder: Encoder = _load(_find(bound.name).encoder)(bound)
    return encoder


def load_codecs() -> None:
    """Loads the decoders and encoders of all formats, so that processes forked from this one need not load them."""
    for spec in FORMATS:
        _load(spec.decoder)
        _load(spec.encoder)


def _find(name: str) -> FormatSpec:
    spec = format_named(name)
    if spec is None:
        names = ", ".join(known.name for known in FORMATS)
        raise ValueError(f"'{name}' is not a format that rows can be read or written in. Known: {names}.")
    return spec


def _load(name: str) -> Any:
    module, _, what = name.partition(":")
    return getattr(import_module(f"firesteel.formats.{module}"), what)
