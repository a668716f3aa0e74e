"""Every format, on one screen. A new format is one module and one line.

The changelog formats wrap rows of JSON and are bound elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel.catalog.table import BoundFormat
from firesteel.formats.avro.decoder import AvroDecoder
from firesteel.formats.avro.encoder import AvroEncoder
from firesteel.formats.codec import Decoder, Encoder
from firesteel.formats.csv.decoder import CsvDecoder
from firesteel.formats.csv.encoder import CsvEncoder
from firesteel.formats.json.decoder import JsonDecoder
from firesteel.formats.json.encoder import JsonEncoder
from firesteel.formats.raw import RawDecoder, RawEncoder


@dataclass(frozen=True)
class Format:
    name: str
    decoder: Callable[[BoundFormat, Sequence[str]], Decoder]
    encoder: Callable[[BoundFormat], Encoder]


FORMATS = (
    Format("json", JsonDecoder, JsonEncoder),
    Format("csv", CsvDecoder, CsvEncoder),
    Format("avro", AvroDecoder, AvroEncoder),
    Format("raw", RawDecoder, RawEncoder),
)


def make_decoder(bound: BoundFormat, columns: Sequence[str]) -> Decoder:
    """A decoder whose batches have exactly `columns`, by their names in the table; nothing else is decoded."""
    return _find(bound.name).decoder(bound, columns)


def make_encoder(bound: BoundFormat) -> Encoder:
    """An encoder of batches that have the format's columns in the format's order."""
    return _find(bound.name).encoder(bound)


def _find(name: str) -> Format:
    for known in FORMATS:
        if known.name == name:
            return known
    names = ", ".join(known.name for known in FORMATS)
    raise ValueError(f"'{name}' is not a format that rows can be read or written in. Known: {names}.")
