"""Metadata keys of a connector or a format: what a `METADATA FROM 'key'` column holds, and which can be written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.types import DataType


class Write(Enum):
    """The cases in which a metadata column may be written, that is, be declared without VIRTUAL in a sink."""

    NEVER = "read-only"
    ALWAYS = "writable"
    SEVERAL_TOPICS = "writable when the table has several topics or a topic pattern"


@dataclass(frozen=True)
class MetadataKey:
    key: str
    type: DataType
    summary: str
    summary_zh: str
    write: Write = Write.NEVER
