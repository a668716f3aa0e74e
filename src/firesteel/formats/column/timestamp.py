"""Reads and writes columns of dates and times as text, a column at a time.

Only texts of the simple form are read here: four-digit years, days that exist, hours up to 23. Other texts are left to
the exact readers in `java_time`, which follow Java's rules: a function here returns None for a column that it cannot be
sure of.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.formats.java import time as java_time

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
#: Reads texts of equal length, given as the rows of a matrix.
Reader = Callable[[Bytes], Integers | None]

_MONTH_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], dtype=np.int64)
_DAY_MICROS = 86_400_000_000


def read_column(texts: pa.StringArray, read: Reader, result: pa.DataType) -> pa.Array | None:
    """Reads a column. Returns it in its own type, or None."""
    if texts.null_count == len(texts):
        return pa.nulls(len(texts), result)
    present = texts.drop_null() if texts.null_count else texts
    numbers = _read_texts(present, read)
    if numbers is None:
        return None
    if texts.null_count:
        found = np.asarray(texts.is_valid())
        spread = np.zeros(len(texts), dtype=np.int64)
        spread[found] = numbers
        return _cast(pa.array(spread, mask=~found), result)
    return _cast(pa.array(numbers), result)


def _cast(numbers: pa.Int64Array, result: pa.DataType) -> pa.Array:
    return numbers.cast(pa.int32()).view(result) if pa.types.is_date32(result) else numbers.view(result)


def _read_texts(texts: pa.StringArray, read: Reader) -> Integers | None:
    _, offsets_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32, count=len(texts) + 1, offset=texts.offset * 4)
    if data_buffer is None or offsets[0] == offsets[-1]:
        return None
    data = np.frombuffer(data_buffer, dtype=np.uint8)
    lengths = np.diff(offsets)
    longest = int(lengths.max())
    if longest > 30:
        return None
    if longest == lengths.min():
        return read(data[offsets[0] : offsets[-1]].reshape(len(texts), longest))
    numbers = np.empty(len(texts), dtype=np.int64)
    for length in np.unique(lengths):
        if length == 0:
            return None
        found = np.flatnonzero(lengths == length)
        group = read(data[offsets[found][:, None] + np.arange(length)])
        if group is None:
            return None
        numbers[found] = group
    return numbers


def read_dates(text: Bytes) -> Integers | None:
    """Reads `yyyy-MM-dd` as days."""
    if text.shape[1] != 10 or not _all(text, 4, "-") or not _all(text, 7, "-"):
        return None
    year, month, day = _number(text, 0, 4), _number(text, 5, 7), _number(text, 8, 10)
    if year is None or month is None or day is None:
        return None
    if month.min() < 1 or month.max() > 12 or day.min() < 1:
        return None
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    if (day > _MONTH_DAYS[month] + (leap & (month == 2))).any():
        return None
    shifted = year - (month <= 2)
    era = shifted // 400
    year_of_era = shifted - era * 400
    day_of_year = (153 * (month + np.where(month > 2, -3, 9)) + 2) // 5 + day - 1
    days: Integers = era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
    return days


def _read_clock(text: Bytes) -> Integers | None:
    """Reads `HH:mm:ss` with a fraction of up to nine digits as microseconds."""
    width = text.shape[1]
    if width != 8 and not 10 <= width <= 18:
        return None
    if not _all(text, 2, ":") or not _all(text, 5, ":"):
        return None
    hour, minute, second = _number(text, 0, 2), _number(text, 3, 5), _number(text, 6, 8)
    if hour is None or minute is None or second is None:
        return None
    if hour.max() > 23 or minute.max() > 59 or second.max() > 59:
        return None
    micros: Integers = ((hour * 60 + minute) * 60 + second) * 1_000_000
    if width > 8:
        fraction = _number(text, 9, width)
        if fraction is None or not _all(text, 8, "."):
            return None
        digits = width - 9
        micros += fraction * 10 ** (6 - digits) if digits <= 6 else fraction // 10 ** (digits - 6)
    return micros


def timestamp_reader(separator: str, utc: bool) -> Callable[[pa.StringArray], pa.Array | None]:
    """Makes a reader of timestamps. It uses Arrow's own reader where that gives the same result."""
    read = read_timestamps(separator, utc)
    result = pa.timestamp("us", "UTC") if utc else pa.timestamp("us")

    def read_all(texts: pa.StringArray) -> pa.Array | None:
        if _has_plain_timestamps(texts, separator, utc):
            try:
                return texts.cast(result)
            except pa.ArrowInvalid:
                return None
        return read_column(texts, read, result)

    return read_all


def _has_plain_timestamps(texts: pa.StringArray, separator: str, utc: bool) -> bool:
    """Checks that no text has a form that Arrow reads differently: no seconds, more than six digits of them, an offset,
    another separator.
    """
    if texts.null_count == len(texts):
        return False
    _, offsets_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32, count=len(texts) + 1, offset=texts.offset * 4)
    starts, lengths = offsets[:-1], np.diff(offsets) - utc
    if texts.null_count:
        present = np.asarray(texts.is_valid())
        starts, lengths = starts[present], lengths[present]
    if lengths.min() < 19 or lengths.max() > 26 or (lengths == 20).any():
        return False
    data = np.frombuffer(data_buffer, dtype=np.uint8)
    if (data[starts + 10] != ord(separator)).any():
        return False
    return not utc or bool((data[starts + lengths] == ord("Z")).all())


def read_times(text: Bytes) -> Integers | None:
    """Reads `HH:mm:ss[.fraction]` as nanoseconds, truncated to milliseconds as Flink does."""
    micros = _read_clock(text)
    return None if micros is None else micros // 1000 * 1_000_000


def read_timestamps(separator: str, utc: bool) -> Reader:
    """Makes a reader of a date, the separator and a time as microseconds, with a `Z` after it or without."""

    def read(text: Bytes) -> Integers | None:
        end = text.shape[1] - utc
        if end < 19 or not _all(text, 10, separator) or (utc and not _all(text, end, "Z")):
            return None
        days, micros = read_dates(text[:, :10]), _read_clock(text[:, 11:end])
        return None if days is None or micros is None else days * _DAY_MICROS + micros

    return read


def _all(text: Bytes, index: int, char: str) -> bool:
    return bool((text[:, index] == ord(char)).all())


def _number(text: Bytes, start: int, end: int) -> Integers | None:
    digits = text[:, start:end] - np.uint8(48)
    if digits.max() > 9:
        return None
    number = digits[:, 0].astype(np.int64)
    for index in range(1, end - start):
        number = number * 10 + digits[:, index]
    return number


#: Microseconds of the years 0000 to 9999, which Arrow prints like Java.
_FIRST, _LAST = -62_167_219_200_000_000, 253_402_300_799_999_999


def timestamp_texts(column: pa.Array, separator: str, zone: str) -> pa.StringArray:
    """Prints timestamps as `java_time.timestamp_text` does, followed by `zone`; NULL stays NULL."""
    micros = column.view(pa.int64())
    bounds = pc.min_max(micros).as_py()
    if bounds["min"] is None:
        return pa.nulls(len(column), pa.string())
    if bounds["min"] < _FIRST or bounds["max"] > _LAST:
        texts = [None if value is None else java_time.timestamp_text(value, separator) for value in micros.to_pylist()]
        return pc.binary_join_element_wise(pa.array(texts, pa.string()), pa.scalar(zone), pa.scalar(""))
    # Arrow prints six digits of a second, Java only as many as needed.
    plain = pc.replace_substring_regex(micros.view(pa.timestamp("us")).cast(pa.string()), r"\.?0*$", "")
    if separator != " ":
        plain = pc.replace_substring(plain, " ", separator, max_replacements=1)
    return pc.binary_join_element_wise(plain, pa.scalar(zone), pa.scalar("")) if zone else plain
