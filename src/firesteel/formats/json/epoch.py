"""Reads dates, times and decimals in the forms of Debezium's connectors: numbers and bytes. Flink cannot read these.

A JSON number in a DATE column counts days. In a TIME or TIMESTAMP column its unit is the connector's setting
`time.precision.mode`. Texts are read as in other JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from firesteel import types
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.column.text import Finish
from firesteel.formats.debezium.options import DecimalHandling, TimePrecision
from firesteel.formats.java import jackson
from firesteel.formats.java import number as java_number
from firesteel.types import DataType

_DAY_NANOS = 86_400_000_000_000
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1
_MILLI, _MICRO, _NANO = 1_000_000, 1_000, 1


@dataclass(frozen=True)
class EpochRules:
    """The connector's settings. None: read as Flink does."""

    times: TimePrecision | None = None
    decimals: DecimalHandling | None = None

    def reads(self, data_type: DataType) -> bool:
        """Checks whether the column's values may have Debezium's own form."""
        match data_type:
            case types.Date() | types.Time() | types.Timestamp() | types.TimestampLtz():
                return self.times is not None
            case types.Decimal():
                return self.decimals is DecimalHandling.PRECISE
        return False


def _nanos_per_unit(data_type: DataType, rules: EpochRules) -> int:
    """Returns the nanoseconds of one unit of a TIME or TIMESTAMP number."""
    match rules.times:
        case TimePrecision.CONNECT:
            return _MILLI
        case TimePrecision.ADAPTIVE_TIME_MICROSECONDS if isinstance(data_type, types.Time):
            return _MICRO
    assert isinstance(data_type, (types.Time, types.Timestamp, types.TimestampLtz))
    if data_type.precision <= 3:
        return _MILLI
    return _MICRO if data_type.precision <= 6 else _NANO


def read_number(data_type: DataType, number: int, rules: EpochRules) -> int:
    """Converts to days, nanoseconds of the day, or microseconds since 1970, as Arrow takes them. Raises ValueError."""
    if isinstance(data_type, types.Date):
        if not -(2**31) <= number < 2**31:
            raise ValueError(f"'{java_number.shorten(str(number))}' is out of range for a date")
        return number
    nanos = number * _nanos_per_unit(data_type, rules)
    if isinstance(data_type, types.Time):
        if not 0 <= nanos < _DAY_NANOS:
            raise ValueError(f"'{java_number.shorten(str(number))}' is no time of the day")
        return nanos // _MILLI * _MILLI
    micros = nanos // 1000
    if not _MIN_LONG <= micros <= _MAX_LONG:
        raise ValueError(f"'{java_number.shorten(str(number))}' is out of range for a timestamp")
    return micros


def read_unscaled(text: str, precision: int, scale: int) -> Decimal | None:
    """Reads a decimal from Base64: a whole number, highest byte first, in units of the column's last digit. Raises
    ValueError.
    """
    unscaled = jackson.decode_base64(text)
    if not unscaled:
        raise ValueError("a decimal has no bytes")
    if len(unscaled) > 64:
        return None
    number = java_number.from_unscaled(int.from_bytes(unscaled, "big", signed=True), scale)
    return java_number.fit_decimal(number, precision, scale) if number else number


def read_variable(members: Mapping[str, object], precision: int, scale: int) -> Decimal | None:
    """Reads `{"scale":2,"value":"…"}`, a decimal with a scale of its own. Raises ValueError."""
    own, text = members.get("scale"), members.get("value")
    if own is None or not isinstance(text, str):
        raise ValueError("a decimal has no 'scale' and 'value'")
    digits = java_number.parse_integer(str(own), -1000, 1000)
    unscaled = jackson.decode_base64(text)
    if not unscaled or len(unscaled) > 1000:
        raise ValueError("a decimal has no bytes, or too many")
    number = Decimal(int.from_bytes(unscaled, "big", signed=True))
    if not number:
        return Decimal((0, (0,), -scale))
    return java_number.parse_decimal(f"{number}E{-digits}", precision, scale)


def wire(data_type: DataType, rules: EpochRules) -> tuple[pa.DataType, Finish] | None:
    """Returns how Arrow reads a column in Debezium's own form."""
    if not rules.reads(data_type):
        return None
    match data_type:
        case types.Date():
            return pa.int32(), lambda days: days.view(pa.date32())
        case types.Decimal(precision, scale):
            return pa.string(), _unscaled(precision, scale)
        case types.Time():
            return pa.int64(), _clock(_nanos_per_unit(data_type, rules))
    return pa.int64(), _instants(_nanos_per_unit(data_type, rules), arrow_type(data_type))


def _clock(unit: int) -> Finish:
    def finish(numbers: pa.Array) -> pa.Array | None:
        values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        if len(values) and (values.min() < 0 or values.max() >= _DAY_NANOS // unit):
            return None
        nanos = values * unit // _MILLI * _MILLI
        return pa.array(nanos, mask=np.asarray(numbers.is_null())).view(pa.time64("ns"))

    return finish


def _instants(unit: int, result: pa.DataType) -> Finish:
    limit = _MAX_LONG // 1000

    def finish(numbers: pa.Array) -> pa.Array | None:
        values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        if len(values) and (values.min() < -limit or values.max() > limit):
            return None
        micros = values // 1000 if unit == _NANO else values * (unit // 1000)
        return pa.array(micros, mask=np.asarray(numbers.is_null())).view(result)

    return finish


def _unscaled(precision: int, scale: int) -> Finish:
    kind = pa.decimal128(precision, scale)

    def finish(texts: pa.Array) -> pa.Array | None:
        try:
            values = [None if text is None else read_unscaled(text, precision, scale) for text in texts.to_pylist()]
        except ValueError:
            return None
        if None in values and values.count(None) != texts.null_count:
            return None
        return pa.array(values, kind)

    return finish
