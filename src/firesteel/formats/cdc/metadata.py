"""Reads the metadata of changelog messages, for `METADATA FROM 'value.…'` columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.formats.column.text import Finish
from firesteel.formats.java import number as java_number
from firesteel.formats.json.arrow_wire import as_is
from firesteel.types import BigInt, DataType

_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


def _keep(value: object) -> object:
    return value


@dataclass(frozen=True)
class Item:
    """One metadata key.

    `member` of the envelope is read as `type`, as Flink reads it; `entry` selects one entry of a map; `convert` turns
    it into the metadata's value. `outside`: the member is beside the payload, not inside. `wire` and `finish` do the
    same for whole columns; without `wire` only the exact path can read it.
    """

    key: str
    member: str
    type: DataType
    result: DataType
    entry: str | None = None
    outside: bool = False
    convert: Callable[[object], object] = _keep
    wire: pa.DataType | None = None
    finish: Finish = as_is


def pick(items: Sequence[Item], metadata: Mapping[str, str], name: str) -> list[Item]:
    """Selects the items of the wanted keys, in the order of the columns. Raises ValueError."""
    known = {item.key: item for item in items}
    for column, key in metadata.items():
        if key not in known:
            raise ValueError(f"'{column}' is the metadata 'value.{key}', which '{name}' does not have.")
    return [known[key] for key in metadata.values()]


def epoch_item(key: str, member: str, result: DataType, unit_micros: int) -> Item:
    """Makes the item of a point in time that is written as a number of `unit_micros` microseconds."""
    return Item(
        key,
        member,
        BigInt(),
        result,
        convert=lambda number: epoch_micros(number, unit_micros),
        wire=pa.int64(),
        finish=epoch_column(unit_micros),
    )


def epoch_micros(number: object, unit: int) -> int | None:
    if number is None:
        return None
    assert isinstance(number, int)
    micros = number * unit
    if not _MIN_LONG <= micros <= _MAX_LONG:
        raise ValueError(f"'{number}' is out of range for a timestamp")
    return micros


def epoch_text_micros(text: object, unit: int) -> int | None:
    if text is None:
        return None
    return epoch_micros(java_number.parse_integer(str(text), _MIN_LONG, _MAX_LONG), unit)


def epoch_column(unit: int) -> Finish:
    limit = _MAX_LONG // unit

    def finish(numbers: pa.Array) -> pa.Array | None:
        values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        if len(values) and (values.min() < -limit or values.max() > limit):
            return None
        return pa.array(values * unit, mask=np.asarray(numbers.is_null())).view(pa.timestamp("us", "UTC"))

    return finish
