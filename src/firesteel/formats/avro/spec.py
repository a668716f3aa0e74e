"""`'format' = 'avro'`."""

from __future__ import annotations

from firesteel.formats.avro import options
from firesteel.formats.avro.type_rule import check_names, complain
from firesteel.formats.bound import BoundFormat
from firesteel.formats.spec import Complaint, FormatSpec
from firesteel.types import DataType


def _complain(type_: DataType, format: BoundFormat) -> Complaint:
    legacy = format.options.get(options.TIMESTAMP_MAPPING_LEGACY) is not False
    return complain(type_, legacy, can_choose=True)


AVRO = FormatSpec(
    "avro",
    options.ROWS,
    "avro.decoder:AvroDecoder",
    "avro.encoder:make_encoder",
    type_rule=_complain,
    column_rule=check_names,
)
