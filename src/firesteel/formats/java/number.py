"""Reads and prints numbers as Java does, since Flink's texts are Java's.

Flink runs on a JDK before 19, whose `Float.toString` and `Double.toString` do not always print the shortest digits that
identify a number: whole numbers keep all their digits.

>>> double_text(1e10), double_text(0.0009), double_text(100.0)
('1.0E10', '9.0E-4', '100.0')
>>> float_text(123456789.125)
'1.23456792E8'
>>> double_text(0.0), double_text(-0.0), float_text(-0.0), float_text(0.0)
('0.0', '-0.0', '-0.0', '0.0')
>>> decimal_text(Decimal("100.00").normalize())
'1E+2'
"""

from __future__ import annotations

import math
import re
import struct
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from firesteel.formats.java.digits import java_digits

#: The characters that Java's `trim()` removes: every one up to the space.
JAVA_SPACE = "".join(map(chr, range(0x21)))

# These patterns never backtrack: a long text that does not match would take quadratic time.
_INTEGER = re.compile(r"[+-]?[0-9]++\Z")
_FLOATING = re.compile(
    r"(?P<sign>[+-]?)(?:NaN|Infinity|(?P<decimal>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)[fFdD]?"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]++\.?[0-9a-fA-F]*+|\.[0-9a-fA-F]++)[pP][+-]?[0-9]++)[fFdD]?)\Z"
)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE](?P<exponent>[+-]?[0-9]++))?\Z")

#: Longer numbers are refused, as Jackson refuses them: arithmetic on them could stall a job.
MAX_NUMBER_LENGTH = 1000

_WIDE = Context(prec=MAX_NUMBER_LENGTH + 100, Emax=10**9, Emin=-(10**9))


def parse_integer(text: str, low: int, high: int) -> int:
    """Parses as `Integer.parseInt` and its like do. Raises ValueError."""
    if not _INTEGER.match(text):
        raise ValueError(f"'{shorten(text)}' is not a whole number")
    if len(text) > MAX_NUMBER_LENGTH:
        raise ValueError(f"'{shorten(text)}' has more than {MAX_NUMBER_LENGTH} characters")
    value = int(text)
    if not low <= value <= high:
        raise ValueError(f"'{shorten(text)}' is out of range")
    return value


def parse_double(text: str) -> float:
    """Parses a trimmed text as `Double.parseDouble` does. Raises ValueError."""
    match = _FLOATING.match(text)
    if not match:
        raise ValueError(f"'{shorten(text)}' is not a number")
    if match["decimal"]:
        value = float(match["decimal"])
    elif match["hex"]:
        try:
            value = float.fromhex(match["hex"])
        except OverflowError:
            value = math.inf
    else:
        value = math.nan if text.endswith("NaN") else math.inf
    return -value if match["sign"] == "-" else value


def parse_float(text: str) -> float:
    """Parses as `Float.parseFloat` does: to the 32-bit number nearest to the text itself, not to its nearest 64-bit number."""
    return to_float(parse_double(text), text)


def to_float(value: float, text: str) -> float:
    """Rounds to the 32-bit number nearest to `text`; `value` is the text's nearest 64-bit number."""
    if math.isnan(value) or math.isinf(value) or value == 0:
        return value
    try:
        narrow: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        narrow = math.copysign(math.inf, value)
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    # Only a 64-bit number exactly halfway between two 32-bit numbers has to be compared with the text.
    if bits & 0x1FFFFFFF != 0x10000000 or math.isinf(narrow) or not _DECIMAL.match(text):
        return narrow
    exact, middle = Decimal(text), Decimal(value)
    if exact == middle:
        return narrow
    step = 1 if (exact > middle) == (value > 0) else -1
    (narrow_bits,) = struct.unpack("<i", struct.pack("<f", narrow))
    away = abs(narrow) > abs(value)
    if step == 1 and not away:
        narrow_bits += 1
    elif step == -1 and away:
        narrow_bits -= 1
    result: float = struct.unpack("<f", struct.pack("<i", narrow_bits))[0]
    return result


def parse_decimal(text: str, precision: int, scale: int) -> Decimal | None:
    """Parses as `new BigDecimal(text)` does, and rounds half up to DECIMAL(precision, scale). Returns None if it does
    not fit.
    """
    match = _DECIMAL.match(text)
    if not match:
        raise ValueError(f"'{shorten(text)}' is not a number")
    if len(text) > MAX_NUMBER_LENGTH:
        raise ValueError(f"'{shorten(text)}' has more than {MAX_NUMBER_LENGTH} characters")
    exponent = match["exponent"]
    if exponent is not None and abs(int(exponent)) > 2_147_483_647:
        raise ValueError(f"'{shorten(text)}' has an exponent out of range")
    value = _WIDE.create_decimal(text[: match.start("exponent") - 1] if exponent is not None else text)
    if not value:
        return Decimal((0, (0,), -scale))
    if exponent is not None:
        value = value.scaleb(max(-5000, min(5000, int(exponent))), _WIDE)
    return fit_decimal(value, precision, scale)


def cut_detail(text: str, whole: int) -> str:
    """Describes a fraction that was read as a whole number."""
    return f"'{shorten(text)}' became {whole}"


def unfit_detail(text: str, precision: int, scale: int) -> str:
    """Describes a number that became NULL."""
    return f"'{shorten(text)}' does not fit DECIMAL({precision}, {scale}) and became NULL"


def fit_decimal(value: Decimal, precision: int, scale: int) -> Decimal | None:
    """Rounds half up to `scale`. Returns None if the result has more than `precision` digits."""
    if value.adjusted() >= precision - scale:
        return None
    rounded = value.quantize(Decimal((0, (1,), -scale)), ROUND_HALF_UP, _WIDE)
    if not rounded:
        return Decimal((0, (0,), -scale))
    return rounded if len(rounded.as_tuple().digits) <= precision else None


def from_unscaled(number: int, scale: int) -> Decimal:
    """Computes `new BigDecimal(number, scale)`. Python's default context would keep only 28 digits."""
    return Decimal(number).scaleb(-scale, _WIDE)


def to_unscaled(value: Decimal, scale: int) -> int:
    return int(value.scaleb(scale, _WIDE))


def decimal_text(value: Decimal) -> str:
    """Prints as `BigDecimal.toString` does: in scientific notation if the exponent is positive or the number is very small."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    adjusted = exponent + len(text) - 1
    minus = "-" if sign else ""
    if exponent <= 0 and adjusted >= -6:
        return f"{value:f}"
    mantissa = text if len(text) == 1 else f"{text[0]}.{text[1:]}"
    return f"{minus}{mantissa}E{adjusted:+d}"


def stripped_decimal_text(value: Decimal) -> str:
    """Prints as `stripTrailingZeros().toString()` does: 100.00 is 1E+2, 0.00 is 0."""
    if not value:
        return "0"
    return decimal_text(value.normalize(_WIDE))


def float_text(value: float) -> str:
    """Prints a 32-bit number, held in a Python float, as `Float.toString` does."""
    return _float_text(value) if value else _zero_text(value)


def _zero_text(value: float) -> str:
    """Prints a zero with its sign. The two zeros are equal, so the cache cannot distinguish them."""
    return "-0.0" if math.copysign(1, value) < 0 else "0.0"


@lru_cache(maxsize=1 << 16)
def _float_text(value: float) -> str:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    fraction, exponent = bits & 0x7FFFFF, bits >> 23 & 0xFF
    special = _special_text(bits >> 31, exponent == 0xFF, fraction, exponent)
    if special is not None:
        return special
    if exponent == 0:
        shift = 24 - fraction.bit_length()
        binary, significant, fraction = 1 - shift, 24 - shift, fraction << shift
    else:
        binary, significant, fraction = exponent, 24, fraction | 0x800000
    return _text(bits >> 31, binary - 127, fraction << 29, significant)


def double_text(value: float) -> str:
    """Prints as `Double.toString` does."""
    # Small whole numbers, the most common case, need no digit generation.
    if value.is_integer() and -1e7 < value < 1e7 and value != 0:
        return f"{int(value)}.0"
    return _double_text(value) if value else _zero_text(value)


@lru_cache(maxsize=1 << 16)
def _double_text(value: float) -> str:
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    fraction, exponent = bits & 0xFFFFFFFFFFFFF, bits >> 52 & 0x7FF
    special = _special_text(bits >> 63, exponent == 0x7FF, fraction, exponent)
    if special is not None:
        return special
    if exponent == 0:
        shift = 53 - fraction.bit_length()
        binary, significant, fraction = 1 - shift, 53 - shift, fraction << shift
    else:
        binary, significant, fraction = exponent, 53, fraction | 1 << 52
    return _text(bits >> 63, binary - 1023, fraction, significant)


def _special_text(negative: int, extreme: bool, fraction: int, exponent: int) -> str | None:
    minus = "-" if negative else ""
    if extreme:
        return "NaN" if fraction else f"{minus}Infinity"
    return f"{minus}0.0" if fraction == 0 and exponent == 0 else None


def _text(negative: int, binary: int, fraction: int, significant: int) -> str:
    digits, point = java_digits(binary, fraction, significant)
    minus = "-" if negative else ""
    if 0 < point < 8:
        whole = digits[:point].ljust(point, "0")
        return f"{minus}{whole}.{digits[point:] or '0'}"
    if -3 < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    return f"{minus}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def shorten(text: str) -> str:
    """Cuts a text for an error message."""
    return text if len(text) <= 60 else f"{text[:57]}..."
