"""`'format' = 'avro-confluent'`."""

from __future__ import annotations

from firesteel.formats.avro.type_rule import check_names, complain
from firesteel.formats.avro_confluent import options
from firesteel.formats.bound import BoundFormat
from firesteel.formats.spec import Complaint, FormatSpec
from firesteel.types import DataType


def _complain(type_: DataType, format: BoundFormat) -> Complaint:
    return complain(type_, legacy=True, can_choose=False)


AVRO_CONFLUENT = FormatSpec(
    "avro-confluent",
    options.ROWS,
    "avro_confluent.decoder:ConfluentDecoder",
    "avro_confluent.encoder:ConfluentEncoder",
    open_prefixes=("properties.",),
    subject=options.SUBJECT,
    properties=options.PROPERTIES,
    type_rule=_complain,
    column_rule=check_names,
)
