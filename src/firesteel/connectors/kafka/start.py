"""Where reading starts and where it ends, as values a reader can match on.

>>> at = {"scan.startup.mode": StartupMode.TIMESTAMP, "scan.startup.timestamp-millis": 7}
>>> start_position("kafka", OptionValues(at))
AtTimestamp(millis=7)
>>> start_position("kafka", OptionValues())
GroupOffsets(group=None, reset=<Reset.UNSET: ''>)
>>> start_position("upsert-kafka", OptionValues())
Earliest()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from firesteel.connectors.kafka import options as kafka
from firesteel.connectors.kafka import options_upsert as upsert_kafka
from firesteel.connectors.kafka.options import BoundedMode, StartupMode
from firesteel.options.secret import reveal
from firesteel.options.value import OptionValues


class Reset(Enum):
    """`auto.offset.reset`: what happens to a partition whose group has committed nothing. UNSET: nobody said."""

    EARLIEST = "earliest"
    LATEST = "latest"
    NONE = "none"
    UNSET = ""


@dataclass(frozen=True)
class Earliest:
    pass


@dataclass(frozen=True)
class Latest:
    pass


@dataclass(frozen=True)
class GroupOffsets:
    """Where the group stands; without a group or a commit of it, `reset` decides, and UNSET is the earliest."""

    group: str | None
    reset: Reset = Reset.UNSET


@dataclass(frozen=True)
class AtTimestamp:
    millis: int


@dataclass(frozen=True)
class SpecificOffsets:
    """A partition that is not listed: the group's committed offset, else the earliest."""

    offsets: Mapping[int, int]


@dataclass(frozen=True)
class Unbounded:
    pass


StartPosition = Earliest | Latest | GroupOffsets | AtTimestamp | SpecificOffsets
Bound = Unbounded | Latest | GroupOffsets | AtTimestamp | SpecificOffsets


def _reset(options: OptionValues) -> Reset:
    written = reveal(options.properties.get("auto.offset.reset", "")).lower()
    return next((reset for reset in Reset if reset.value == written), Reset.UNSET)


def start_position(connector: str, options: OptionValues) -> StartPosition:
    # An upsert topic is only right when it is read from its beginning: its default is another one.
    mode = upsert_kafka.SCAN_STARTUP_MODE if connector == "upsert-kafka" else kafka.SCAN_STARTUP_MODE
    match options.get(mode):
        case StartupMode.EARLIEST:
            return Earliest()
        case StartupMode.LATEST:
            return Latest()
        case StartupMode.TIMESTAMP:
            return AtTimestamp(options.get(kafka.SCAN_STARTUP_TIMESTAMP_MILLIS) or 0)
        case StartupMode.SPECIFIC_OFFSETS:
            return SpecificOffsets(options.get(kafka.SCAN_STARTUP_SPECIFIC_OFFSETS) or {})
        case _:
            return GroupOffsets(options.get(kafka.GROUP_ID), _reset(options))


def bound(options: OptionValues) -> Bound:
    match options.get(kafka.SCAN_BOUNDED_MODE):
        case BoundedMode.LATEST:
            return Latest()
        case BoundedMode.GROUP_OFFSETS:
            return GroupOffsets(options.get(kafka.GROUP_ID), _reset(options))
        case BoundedMode.TIMESTAMP:
            return AtTimestamp(options.get(kafka.SCAN_BOUNDED_TIMESTAMP_MILLIS) or 0)
        case BoundedMode.SPECIFIC_OFFSETS:
            return SpecificOffsets(options.get(kafka.SCAN_BOUNDED_SPECIFIC_OFFSETS) or {})
        case _:
            return Unbounded()
