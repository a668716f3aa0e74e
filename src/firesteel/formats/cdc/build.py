"""Builds the decoder of an envelope for a table, with the fast path if there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.cdc.before_and_after import ImageReader
from firesteel.formats.cdc.before_and_after_fast import image_block
from firesteel.formats.cdc.decoder import ChangelogDecoder, wanted_fields
from firesteel.formats.cdc.envelope import DataEnvelope, ImageEnvelope
from firesteel.formats.cdc.metadata import pick
from firesteel.formats.cdc.row_and_old import DataReader
from firesteel.formats.cdc.row_and_old_fast import FilteredBlock, data_block
from firesteel.formats.json.arrow_wire import WireRules
from firesteel.formats.json.epoch import EpochRules
from firesteel.formats.json.settings import JsonSettings, from_options
from firesteel.formats.json.tree import TreeReader
from firesteel.formats.two_paths import Fast


def image_decoder(
    bound: BoundFormat,
    columns: Sequence[str],
    metadata: Mapping[str, str],
    envelope: ImageEnvelope,
    epochs: EpochRules | None = None,
) -> ChangelogDecoder:
    settings, epochs = from_options(bound.options), epochs or EpochRules()
    items = pick(envelope.metadata, metadata, envelope.name)
    fields = wanted_fields(bound, columns)
    reader = TreeReader(settings, bound.fields, epochs)
    exact = ImageReader(envelope, fields, items, reader, settings.ignore_parse_errors)
    block = image_block(envelope, fields, items, _rules(settings, reader, epochs, texts=False))
    return ChangelogDecoder(bound, columns, metadata, items, exact.read, None if block is None else block.read)


def data_decoder(
    bound: BoundFormat,
    columns: Sequence[str],
    metadata: Mapping[str, str],
    envelope: DataEnvelope,
    filters: Mapping[str, re.Pattern[str]],
    texts: Sequence[bool],
) -> ChangelogDecoder:
    """Builds a decoder for a row with its old values. `texts` tells whether values are JSON strings; both forms may be
    given, the likelier one first.
    """
    settings = from_options(bound.options)
    items = pick(envelope.metadata, metadata, envelope.name)
    fields = wanted_fields(bound, columns)
    reader = TreeReader(settings, bound.fields)
    exact = DataReader(envelope, fields, items, reader, settings.ignore_parse_errors, filters)
    rules = [_rules(settings, reader, EpochRules(), texts=as_text) for as_text in texts]
    block = data_block(envelope, fields, items, rules)
    fast: Fast | None = None
    if block is not None:
        results = [arrow_type(field.type) for field in fields] + [arrow_type(item.result) for item in items]
        fast = FilteredBlock(block, filters, results).read if filters else block.read
    return ChangelogDecoder(bound, columns, metadata, items, exact.read, fast)


def _rules(settings: JsonSettings, reader: TreeReader, epochs: EpochRules, *, texts: bool) -> WireRules:
    return WireRules(
        iso_timestamps=settings.iso_timestamps, tree=True, decimals=reader.decimals, texts=texts, epochs=epochs
    )
