"""COUNT, SUM, AVG and the deviations: what can be retracted by subtraction."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.state.aggregate.change import Change, Outcome
from firesteel.state.aggregate.decimal import STORED, add_limbs, bytes_of, decimals_of, limbs_of, total_of_limbs
from firesteel.state.aggregate.function import Aggregate, Function
from firesteel.state.order import Bools, Ints

_Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Count:
    """COUNT of rows, or of arguments that are not NULL."""

    number: int
    aggregate: Aggregate

    def work(self, change: Change) -> Outcome:
        name = f"__count{self.number}"
        before = change.stored_number(name)
        after = before + change.total(change.counted(self.aggregate))
        kept = pa.array(after)
        return Outcome(_clipped(before, self.aggregate.type), _clipped(after, self.aggregate.type), [(name, kept)])


def _clipped(count: Ints, kind: pa.DataType) -> pa.Array:
    return pa.array(count).cast(kind)


@dataclass(frozen=True)
class Sum:
    """SUM and AVG of whole numbers, which overflow as Java's do. The sum of nothing is NULL."""

    number: int
    aggregate: Aggregate

    def work(self, change: Change) -> Outcome:
        count_name, sum_name = f"__count{self.number}", f"__sum{self.number}"
        sign = change.counted(self.aggregate)
        values = pc.fill_null(change.column(str(self.aggregate.argument)), 0).to_numpy().astype(np.int64, copy=False)
        count = change.stored_number(count_name)
        total = change.stored_number(sum_name)
        count_after = count + change.total(sign)
        total_after = total + change.total(values * sign)
        kept = [(count_name, pa.array(count_after)), (sum_name, pa.array(total_after))]
        return Outcome(self._result(total, count), self._result(total_after, count_after), kept)

    def _result(self, total: Ints, count: Ints) -> pa.Array:
        if self.aggregate.function is Function.AVG:
            divisor = np.where(count == 0, 1, count)
            quotient = np.floor_divide(total, divisor)
            # Java divides towards zero
            total = quotient + ((total % divisor != 0) & ((total < 0) != (divisor < 0)))
        width = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}[self.aggregate.type.bit_width]
        return pa.array(total.astype(width), self.aggregate.type, mask=count == 0)


@dataclass(frozen=True)
class DoubleSum:
    """SUM and AVG of FLOAT and DOUBLE, and the deviations."""

    number: int
    aggregate: Aggregate

    def work(self, change: Change) -> Outcome:
        sign = change.counted(self.aggregate)
        column = change.column(str(self.aggregate.argument)).cast(pa.float64(), safe=False)
        values = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False)
        values = np.where(sign == 0, 0.0, values)
        names = [f"__count{self.number}", f"__sum{self.number}"]
        count = change.stored_number(names[0])
        count_after = count + change.total(sign)
        before = [change.stored_double(names[1])]
        after = [before[0] + change.total_of_doubles(values * sign)]
        if self.aggregate.function not in (Function.SUM, Function.AVG):
            names.append(f"__squares{self.number}")
            before.append(change.stored_double(names[2]))
            after.append(before[1] + change.total_of_doubles(values * values * sign))
        for total in after:
            total[count_after == 0] = 0.0  # what rounding has left over ends with the last value
        kept = list(zip(names, [pa.array(count_after), *map(pa.array, after)], strict=True))
        return Outcome(self._result(before, count), self._result(after, count_after), kept)

    def _result(self, totals: Sequence[_Doubles], count: Ints) -> pa.Array:
        function = self.aggregate.function
        missing: Bools = count == 0
        divisor = np.where(missing, 1, count)
        result = totals[0]
        if function is Function.AVG:
            result = result / divisor
        elif function is not Function.SUM:
            with np.errstate(invalid="ignore", over="ignore"):
                squares = np.maximum(totals[1] - totals[0] * totals[0] / divisor, 0.0)
            if function in (Function.STDDEV_SAMP, Function.VAR_SAMP):
                missing = count <= 1
                divisor = np.where(missing, 1, count - 1)
            result = squares / divisor
            if function in (Function.STDDEV_POP, Function.STDDEV_SAMP):
                result = np.sqrt(result)
        return pa.array(result, pa.float64(), mask=missing).cast(self.aggregate.type, safe=False)


@dataclass(frozen=True)
class DecimalSum:
    """SUM and AVG of DECIMAL. A sum of more than 38 digits is NULL, until it is smaller again."""

    number: int
    aggregate: Aggregate

    def work(self, change: Change) -> Outcome:
        count_name, sum_name = f"__count{self.number}", f"__sum{self.number}"
        sign = change.counted(self.aggregate)
        column = change.column(str(self.aggregate.argument))
        if column.type.bit_width != 128:
            column = column.cast(pa.decimal128(column.type.precision, column.type.scale))
        count = change.stored_number(count_name)
        count_after = count + change.total(sign)
        before = [np.zeros(change.groups, np.int64) for _ in range(4)]
        if change.old is not None:
            for limb, stored in zip(before, limbs_of(change.old.column(sum_name)), strict=True):
                limb[change.known] = stored
        after = add_limbs(before, total_of_limbs(change, column, sign))
        stored = pa.Array.from_buffers(STORED, change.groups, [None, bytes_of(after)])
        kept = [(count_name, pa.array(count_after)), (sum_name, stored)]
        scale = column.type.scale
        return Outcome(self._result(before, count, scale), self._result(after, count_after, scale), kept)

    def _result(self, limbs: Sequence[Ints], count: Ints, scale: int) -> pa.Array:
        total = decimals_of(limbs, scale, count != 0)
        if self.aggregate.function is Function.AVG:
            divisor = pa.array(np.where(count == 0, 1, count)).cast(pa.decimal256(19, 0))
            quotient = pc.divide(total.cast(pa.decimal256(38, scale)), divisor)
            total = pc.round(quotient, self.aggregate.type.scale, "half_towards_infinity")
        return _fitted(total, self.aggregate.type)


def _fitted(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Gives decimals a type; NULL where it has too few digits."""
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        wide = values.cast(pa.decimal256(76, kind.scale))
        most = pa.scalar(decimal.Decimal(10) ** (kind.precision - kind.scale), wide.type)
        return pc.if_else(pc.less(pc.abs(wide), most), wide, None).cast(kind)
