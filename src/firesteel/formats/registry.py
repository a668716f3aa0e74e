"""Every format, on one screen. A new format is one module and one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from firesteel.catalog.table import BoundFormat
from firesteel.formats.avro.decoder import AvroDecoder
from firesteel.formats.avro.encoder import make_encoder as make_avro_encoder
from firesteel.formats.avro_confluent.decoder import ConfluentDecoder
from firesteel.formats.avro_confluent.encoder import ConfluentEncoder
from firesteel.formats.cdc import canal as canal_json
from firesteel.formats.cdc import debezium as debezium_json
from firesteel.formats.cdc import maxwell as maxwell_json
from firesteel.formats.cdc import ogg as ogg_json
from firesteel.formats.codec import Decoder, Encoder
from firesteel.formats.csv.decoder import CsvDecoder
from firesteel.formats.csv.encoder import CsvEncoder
from firesteel.formats.json.decoder import JsonDecoder
from firesteel.formats.json.encoder import JsonEncoder
from firesteel.formats.raw.codec import RawDecoder, RawEncoder

#: Makes a decoder of these columns, and of metadata columns by their keys.
MakeDecoder = Callable[[BoundFormat, Sequence[str], Mapping[str, str]], Decoder]


@dataclass(frozen=True)
class Format:
    name: str
    decoder: MakeDecoder
    encoder: Callable[[BoundFormat], Encoder]


def _without_metadata(make: Callable[[BoundFormat, Sequence[str]], Decoder]) -> MakeDecoder:
    def decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str]) -> Decoder:
        for column, key in metadata.items():
            raise ValueError(f"'{column}' is the metadata 'value.{key}', which '{bound.name}' does not have.")
        return make(bound, columns)

    return decoder


FORMATS = (
    Format("json", _without_metadata(JsonDecoder), JsonEncoder),
    Format("csv", _without_metadata(CsvDecoder), CsvEncoder),
    Format("avro", _without_metadata(AvroDecoder), make_avro_encoder),
    Format("avro-confluent", _without_metadata(ConfluentDecoder), ConfluentEncoder),
    Format("raw", _without_metadata(RawDecoder), RawEncoder),
    Format("debezium-json", debezium_json.make_decoder, debezium_json.make_encoder),
    Format("canal-json", canal_json.make_decoder, canal_json.make_encoder),
    Format("maxwell-json", maxwell_json.make_decoder, maxwell_json.make_encoder),
    Format("ogg-json", ogg_json.make_decoder, ogg_json.make_encoder),
)

_NO_METADATA: Mapping[str, str] = MappingProxyType({})


def make_decoder(bound: BoundFormat, columns: Sequence[str], metadata: Mapping[str, str] = _NO_METADATA) -> Decoder:
    """A decoder whose batches have exactly `columns`, by their names in the table, and then the columns of `metadata`,
    which maps their names to the format's keys without `value.`; nothing else is decoded.
    """
    return _find(bound.name).decoder(bound, columns, metadata)


def make_encoder(bound: BoundFormat) -> Encoder:
    """An encoder of batches that have the format's columns in the format's order."""
    return _find(bound.name).encoder(bound)


def _find(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise ValueError(f"'{name}' is not a format that rows can be read or written in. Known: {names}.")
