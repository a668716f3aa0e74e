"""Makes up values as Arrow columns. Each depends on nothing but the row's number and a seed: a batch that runs again has the same.

>>> cells(RandomWhole(types.Int(), 1, 6), Place(seed=7, rows=np.arange(3, dtype=np.uint64))).to_pylist()
[6, 3, 1]
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from firesteel import types
from firesteel.connectors.datagen.generator import (
    Elements,
    Entries,
    Generator,
    InSequence,
    Now,
    Parts,
    RandomBoolean,
    RandomBytes,
    RandomDecimal,
    RandomReal,
    RandomText,
    RandomWhole,
    RecentTime,
)
from firesteel.formats.arrow_type import arrow_type

Bits = npt.NDArray[np.uint64]

_DAY = 86_400_000
_WIDE_DECIMAL = 18
_UNIT = 2.0**-53


@dataclass(frozen=True)
class Place:
    """The rows that are wanted, by number, and when each comes, in epoch milliseconds."""

    seed: int
    rows: Bits
    millis: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def below(self, name: str) -> Place:
        return replace(self, seed=int.from_bytes(blake2b(f"{self.seed} {name}".encode(), digest_size=8).digest()))

    def bits(self, name: str) -> Bits:
        return _mixed(self.rows + _mixed(np.array([self.below(name).seed], np.uint64)))

    def shares(self, name: str) -> npt.NDArray[np.float64]:
        """Numbers from 0 up to 1."""
        found: npt.NDArray[np.float64] = (self.bits(name) >> np.uint64(11)).astype(np.float64) * _UNIT
        return found


def _mixed(values: Bits) -> Bits:
    """Mixes numbers with SplitMix64: those that follow each other become unrelated ones."""
    with np.errstate(over="ignore"):
        mixed = values + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))


def cells(generator: Generator, place: Place) -> pa.Array:
    made = _made(generator, place)
    if isinstance(generator, InSequence) or not generator.null_rate:
        return made
    missing = place.shares("null") < generator.null_rate
    return made.take(pa.array(np.arange(len(place.rows)), mask=missing))


def _made(generator: Generator, place: Place) -> pa.Array:
    match generator:
        case InSequence():
            return _sequence(generator, place)
        case RandomBoolean():
            return pa.array((place.bits("value") & np.uint64(1)).astype(bool))
        case RandomWhole(type, least, most):
            return pa.array(_whole(place, least, most)).cast(arrow_type(type))
        case RandomReal(type, least, most):
            share = place.shares("value")
            values = np.clip(least * (1 - share) + most * share, least, most)
            return pa.array(values).cast(arrow_type(type), safe=False)
        case RandomDecimal(type, least, most):
            return _decimals(type, _wide(place, least, most))
        case RandomText(_, length, varies):
            digits = np.frombuffer(_bytes(place, (length + 1) // 2).tobytes().hex().encode(), np.uint8)
            return _cut(pa.string(), digits.reshape(len(place.rows), -1), place, length, varies)
        case RandomBytes(_, length, varies):
            return _cut(pa.binary(), _bytes(place, length), place, length, varies)
        case Now(type):
            return _now(type, place)
        case RecentTime(type, past):
            back = _whole(place, 0, past - 1) if past else 0
            return pa.array((place.millis - back) * 1000).cast(arrow_type(type))
        case Elements(type, element, length):
            values = cells(element, _repeated(place, length))
            return pa.ListArray.from_arrays(_offsets(place, length), values)
        case Entries():
            return _entries(generator, place)
        case Parts(type, parts):
            columns = [cells(part, place.below(one.name)) for part, one in zip(parts, type.fields, strict=True)]
            return pa.StructArray.from_arrays(columns, fields=list(arrow_type(type)))


def _whole(place: Place, least: int, most: int) -> npt.NDArray[np.int64]:
    bits, span = place.bits("value"), most - least + 1
    if span < 2**64:
        bits = bits % np.uint64(span)
    with np.errstate(over="ignore"):
        return (bits + np.uint64(least % 2**64)).view(np.int64)


def _wide(place: Place, least: int, most: int) -> list[int]:
    if least >= -(2**63) and most < 2**63:
        found: list[int] = _whole(place, least, most).tolist()
        return found
    span = most - least + 1
    pairs = zip(place.bits("value").tolist(), place.bits("more").tolist(), strict=True)
    return [least + ((high << 64) | low) % span for high, low in pairs]


def _decimals(type: types.Decimal, unscaled: list[int]) -> pa.Array:
    data = b"".join(value.to_bytes(16, "little", signed=True) for value in unscaled)
    return pa.Array.from_buffers(arrow_type(type), len(unscaled), [None, pa.py_buffer(data)])


def _bytes(place: Place, length: int) -> npt.NDArray[np.uint8]:
    """Makes as many random bytes for each row."""
    words = -(-length // 8)
    wide = np.stack([place.bits(f"value{word}") for word in range(words)], axis=1)
    return wide.view(np.uint8).reshape(len(place.rows), -1)[:, :length]


def _cut(type: pa.DataType, wide: npt.NDArray[np.uint8], place: Place, length: int, varies: bool) -> pa.Array:
    rows = len(place.rows)
    if not varies or length < 2:
        lengths = np.full(rows, length, np.int64)
        data = np.ascontiguousarray(wide[:, :length])
    else:
        # Of random length is what is shorter, as Flink has it.
        lengths = (place.bits("length") % np.uint64(length - 1)).astype(np.int64) + 1
        data = wide[np.arange(wide.shape[1])[None, :] < lengths[:, None]]
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return pa.Array.from_buffers(type, rows, [None, pa.py_buffer(offsets.tobytes()), pa.py_buffer(data.tobytes())])


def _now(type: types.DataType, place: Place) -> pa.Array:
    """Makes the machine's own date and time of day."""
    first = place.millis[0] / 1000 if len(place.millis) else 0.0
    local = place.millis + time.localtime(first).tm_gmtoff * 1000
    if isinstance(type, types.Date):
        return pa.array((local // _DAY).astype(np.int32)).cast(pa.date32())
    return pa.array((local % _DAY) * 1_000_000).cast(arrow_type(type))


def _sequence(generator: InSequence, place: Place) -> pa.Array:
    values = place.rows.astype(np.int64) + generator.start
    match generator.type:
        case types.Char() | types.Varchar():
            return pa.array(values).cast(pa.string())
        case types.Binary() | types.Varbinary():
            wide = values.astype(">i8").view(np.uint8).reshape(len(values), 8)
            return _cut(pa.binary(), wide, place, 8, varies=False)
        case types.Decimal() as type:
            return _decimals_or_null(type, [value * 10**type.scale for value in values.tolist()])
        case type:
            return pa.array(values).cast(arrow_type(type))


def _decimals_or_null(type: types.Decimal, steps: list[int]) -> pa.Array:
    """Makes decimals; a number that the type does not hold is NULL."""
    most = 10**type.precision - 1
    fits = [abs(step) <= most for step in steps]
    whole = _decimals(type, [step if fit else 0 for step, fit in zip(steps, fits, strict=True)])
    return pc.if_else(pa.array(fits), whole, pa.scalar(None, whole.type))


def _repeated(place: Place, times: int) -> Place:
    """Makes the place of the elements of collections, which are as many rows."""
    numbers = np.tile(np.arange(times, dtype=np.uint64), len(place.rows))
    with np.errstate(over="ignore"):
        rows = _mixed(np.repeat(place.rows, times)) + numbers
    return Place(place.below("element").seed, rows, np.repeat(place.millis, times))


def _offsets(place: Place, length: int) -> pa.Array:
    return pa.array(np.arange(len(place.rows) + 1, dtype=np.int64) * length).cast(pa.int32())


def _entries(generator: Entries, place: Place) -> pa.Array:
    """Makes maps. A key that is made twice is there once; none is NULL."""
    inner = _repeated(place, generator.length)
    keys = cells(generator.key, inner.below("key"))
    values = cells(generator.value, inner.below("value"))
    kept: list[int] = []
    offsets = [0]
    texts = [None if key is None else repr(key) for key in keys.to_pylist()]
    for row in range(len(place.rows)):
        first = row * generator.length
        last = {texts[one]: one for one in range(first, first + generator.length) if texts[one] is not None}
        kept += last.values()
        offsets.append(len(kept))
    chosen = pa.array(kept, pa.int64())
    return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys.take(chosen), values.take(chosen))


def width(generator: Generator) -> int:
    """Estimates how many bytes a value has."""
    match generator:
        case RandomText(length=length) | RandomBytes(length=length):
            return length
        case Elements(element=element, length=length):
            return width(element) * length
        case Entries(key=key, value=value, length=length):
            return (width(key) + width(value)) * length
        case Parts(parts=parts):
            return sum(map(width, parts))
        case _:
            return 16
