"""Numbers as Java reads and prints them: Flink's texts are Java's texts.

Flink runs on a JDK before 19, whose `Float.toString` and `Double.toString` do not always print the shortest digits
that identify a number: whole numbers keep all their digits.

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

#: What Java's `trim()` takes off: every character up to the space.
JAVA_SPACE = "".join(map(chr, range(0x21)))

# Nothing is given back in these patterns: a long text that fails late would take a time that grows with its square.
_INTEGER = re.compile(r"[+-]?[0-9]++\Z")
_FLOATING = re.compile(
    r"(?P<sign>[+-]?)(?:NaN|Infinity|(?P<decimal>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)[fFdD]?"
    r"|(?P<hex>0[xX](?:[0-9a-fA-F]++\.?[0-9a-fA-F]*+|\.[0-9a-fA-F]++)[pP][+-]?[0-9]++)[fFdD]?)\Z"
)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE](?P<exponent>[+-]?[0-9]++))?\Z")

#: Longer numbers are refused, as Jackson refuses them: arithmetic on them is a way to stall a job.
MAX_NUMBER_LENGTH = 1000

_WIDE = Context(prec=MAX_NUMBER_LENGTH + 100, Emax=10**9, Emin=-(10**9))


def parse_integer(text: str, low: int, high: int) -> int:
    """`Integer.parseInt` and its kin. Raises ValueError."""
    if not _INTEGER.match(text):
        raise ValueError(f"'{shorten(text)}' is not a whole number")
    if len(text) > MAX_NUMBER_LENGTH:
        raise ValueError(f"'{shorten(text)}' has more than {MAX_NUMBER_LENGTH} characters")
    value = int(text)
    if not low <= value <= high:
        raise ValueError(f"'{shorten(text)}' is out of range")
    return value


def parse_double(text: str) -> float:
    """`Double.parseDouble` of a trimmed text. Raises ValueError."""
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
    """`Float.parseFloat`: the nearest 32-bit number of the text itself, not of its nearest 64-bit number."""
    return to_float(parse_double(text), text)


def to_float(value: float, text: str) -> float:
    """`value`, the 64-bit reading of `text`, as the 32-bit number nearest to `text`."""
    if math.isnan(value) or math.isinf(value) or value == 0:
        return value
    try:
        narrow: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        narrow = math.copysign(math.inf, value)
    bits = struct.unpack("<q", struct.pack("<d", value))[0]
    # Only a 64-bit number exactly between two 32-bit ones can have lost what decides between them.
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
    """`new BigDecimal(text)` brought to DECIMAL(precision, scale): rounded half up, None when it does not fit."""
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
    """What is said of a fraction that a whole number was read from."""
    return f"'{shorten(text)}' became {whole}"


def unfit_detail(text: str, precision: int, scale: int) -> str:
    """What is said of a number that became NULL."""
    return f"'{shorten(text)}' does not fit DECIMAL({precision}, {scale}) and became NULL"


def fit_decimal(value: Decimal, precision: int, scale: int) -> Decimal | None:
    """Rounded half up to `scale`; None when it then has more than `precision` digits."""
    if value.adjusted() >= precision - scale:
        return None
    rounded = value.quantize(Decimal((0, (1,), -scale)), ROUND_HALF_UP, _WIDE)
    if not rounded:
        return Decimal((0, (0,), -scale))
    return rounded if len(rounded.as_tuple().digits) <= precision else None


def from_unscaled(number: int, scale: int) -> Decimal:
    """`new BigDecimal(number, scale)`; Python's own context would keep only 28 digits of it."""
    return Decimal(number).scaleb(-scale, _WIDE)


def to_unscaled(value: Decimal, scale: int) -> int:
    return int(value.scaleb(scale, _WIDE))


def decimal_text(value: Decimal) -> str:
    """`BigDecimal.toString`: scientific when the exponent is positive or the number is very small."""
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
    """`stripTrailingZeros().toString()`: 100.00 is 1E+2, 0.00 is 0."""
    if not value:
        return "0"
    return decimal_text(value.normalize(_WIDE))


def float_text(value: float) -> str:
    """`Float.toString` of a 32-bit number held in a Python float."""
    return _float_text(value) if value else _zero_text(value)


def _zero_text(value: float) -> str:
    """The two zeros are equal, so no cache can tell them apart."""
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
    """`Double.toString`."""
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
    digits, point = _digits(binary, fraction, significant)
    minus = "-" if negative else ""
    if 0 < point < 8:
        whole = digits[:point].ljust(point, "0")
        return f"{minus}{whole}.{digits[point:] or '0'}"
    if -3 < point <= 0:
        return f"{minus}0.{'0' * -point}{digits}"
    return f"{minus}{digits[0]}.{digits[1:] or '0'}E{point - 1}"


def _digits(binary: int, fraction: int, significant: int) -> tuple[str, int]:
    """The digits the JDK prints for fraction·2^(binary-52), and where the point stands before them.

    `fraction` has 53 bits, the highest set; `significant` of them came with the number.
    """
    zeros = (fraction & -fraction).bit_length() - 1
    used = 53 - zeros
    tiny = max(0, used - binary - 1)
    if -21 <= binary <= 62 and tiny == 0 and used < 64:
        # A whole number is printed in full, save for digits that its binary precision cannot mean.
        whole = fraction << (binary - 52) if binary >= 52 else fraction >> (52 - binary)
        dropped = 0
        if binary > significant:
            spare = binary - significant - 1
            dropped = len(str(1 << spare)) - 1 if spare > 1 else 0
            if dropped:
                whole, rest = divmod(whole, 10**dropped)
                whole += rest >= 10**dropped >> 1
        text = str(whole)
        return text.rstrip("0"), len(text) + dropped

    mantissa = struct.unpack("<d", struct.pack("<Q", 1023 << 52 | fraction & 0xFFFFFFFFFFFFF))[0]
    power = math.floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + binary * 0.301029995663981)
    b5, s5 = max(0, -power), max(0, power)
    b2, s2 = b5 + tiny + binary, s5 + tiny
    m2 = b2 - significant
    b2 -= used - 1
    shared = min(b2, s2)
    b2, s2, m2 = b2 - shared, s2 - shared, m2 - shared
    if used == 1:
        # Below a power of two the neighbour is half as far away.
        m2 -= 1
    if m2 < 0:
        b2, s2, m2 = b2 - m2, s2 - m2, 0
    b = (fraction >> zeros) * 5**b5 << b2
    s = 5**s5 << s2
    m = 5**b5 << m2
    b_bits = used + b2 + _bits5(b5)
    s_bits = s2 + 1 + _bits5(s5 + 1)
    narrow = b_bits < 64 and s_bits < 64
    limit = 1 << (31 if b_bits < 32 and s_bits < 32 else 63)
    tens = s * 10

    quotient, b = divmod(b, s)
    b, m = b * 10, m * 10
    low = b < m
    high = b + m > tens if narrow else b + m >= tens
    digits: list[int] = []
    if quotient == 0 and not high:
        power -= 1
    else:
        digits.append(quotient)
    if power < -3 or power >= 8:
        # The scientific form always has a digit after the point.
        low = high = False
    while not low and not high:
        quotient, b = divmod(b, s)
        b, m = b * 10, m * 10
        if narrow:
            # The JDK's fixed-width arithmetic overflows here: seen in `m` it ends the digits, unseen in the sum it does not.
            low, high = (b < m, tens < b + m < limit) if m < limit else (True, True)
        else:
            low, high = b < m, b + m >= tens
        digits.append(quotient)
    beyond_half = 2 * b - tens
    if narrow:
        # This difference overflows too.
        beyond_half = (beyond_half + limit) % (2 * limit) - limit
    if high and (not low or beyond_half > 0 or (beyond_half == 0 and digits[-1] & 1)):
        _round_up(digits)
        if digits[0] == 10:
            digits[0] = 1
            power += 1
    text = "".join(map(str, digits))
    return text, power + 1


def _round_up(digits: list[int]) -> None:
    """Adds one in the last place. All nines become a 10 in the first place and zeros after it."""
    place = len(digits) - 1
    while digits[place] == 9 and place > 0:
        digits[place] = 0
        place -= 1
    digits[place] += 1


def _bits5(power: int) -> int:
    """The JDK's bound for the bits that a factor of 5^power adds."""
    if power == 0:
        return 0
    return power * 3 if power >= 27 else (5**power).bit_length()


def shorten(text: str) -> str:
    """A text as an error sentence shows it."""
    return text if len(text) <= 60 else f"{text[:57]}..."
