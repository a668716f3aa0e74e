"""A format is one line of options and one of codecs: both name the same formats, and no third list does."""

from __future__ import annotations

from firesteel.connectors.builtin import FORMATS as OPTIONS
from firesteel.formats.registry import FORMATS as CODECS


def test_every_format_with_options_has_a_decoder_and_an_encoder() -> None:
    assert sorted(spec.name for spec in OPTIONS) == sorted(codec.name for codec in CODECS)
