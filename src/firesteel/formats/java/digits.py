"""Generates the decimal digits of a floating-point number as the `FloatingDecimal` of a JDK before 19 does.

The algorithm is the free-format digit generation of Steele and White ("How to Print Floating-Point Numbers Accurately", 1990).
The JDK adds three things that show in its texts: whole numbers are printed in full, the scientific form has two digits at least,
and what fits 64 bits is computed in 32 or 64 bits, where it can overflow.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass


def java_digits(binary: int, fraction: int, significant: int) -> tuple[str, int]:
    """Generates the digits of fraction·2^(binary-52). Returns them, and the position of the decimal point in them.

    `fraction` has 53 bits, the highest set; the number's own type has `significant` of them.
    """
    zeros = (fraction & -fraction).bit_length() - 1
    used = 53 - zeros
    tiny = max(0, used - binary - 1)
    if -21 <= binary <= 62 and tiny == 0 and used < 64:
        return _whole_digits(binary, fraction, significant)
    return _generate(_scale(binary, fraction, significant))


def _whole_digits(binary: int, fraction: int, significant: int) -> tuple[str, int]:
    """Prints a whole number in full, except for the last digits that its binary precision cannot tell apart."""
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


@dataclass(slots=True)
class _Scaled:
    """A number as `rest`·10^`power` / `scale`, with the whole numbers that Steele and White compute with."""

    power: int
    rest: int
    scale: int
    #: Half the distance to the next number, in units of `rest`: digits that are nearer to the number identify it.
    margin: int
    #: Whether the JDK computes in fixed width, and the number that overflows it.
    narrow: bool
    limit: int


def _scale(binary: int, fraction: int, significant: int) -> _Scaled:
    """Divides the number by the power of ten that an estimate of its logarithm gives. The estimate may be one too large."""
    zeros = (fraction & -fraction).bit_length() - 1
    used = 53 - zeros
    tiny = max(0, used - binary - 1)
    mantissa = struct.unpack("<d", struct.pack("<Q", 1023 << 52 | fraction & 0xFFFFFFFFFFFFF))[0]
    power = math.floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + binary * 0.301029995663981)
    # The exponents of 5 and 2 in the rest, the scale and the margin.
    rest5, scale5 = max(0, -power), max(0, power)
    rest2, scale2 = rest5 + tiny + binary, scale5 + tiny
    margin2 = rest2 - significant
    rest2 -= used - 1
    shared = min(rest2, scale2)
    rest2, scale2, margin2 = rest2 - shared, scale2 - shared, margin2 - shared
    if used == 1:
        # Below a power of two the neighbour is half as far away.
        margin2 -= 1
    if margin2 < 0:
        rest2, scale2, margin2 = rest2 - margin2, scale2 - margin2, 0
    rest_bits = used + rest2 + _bits_of_power(rest5)
    scale_bits = scale2 + 1 + _bits_of_power(scale5 + 1)
    return _Scaled(
        power,
        (fraction >> zeros) * 5**rest5 << rest2,
        5**scale5 << scale2,
        5**rest5 << margin2,
        narrow=rest_bits < 64 and scale_bits < 64,
        limit=1 << (31 if rest_bits < 32 and scale_bits < 32 else 63),
    )


def _generate(number: _Scaled) -> tuple[str, int]:
    """Generates digits until they identify the number, then rounds the last one."""
    power, scale, narrow, limit = number.power, number.scale, number.narrow, number.limit
    tens = scale * 10
    quotient, rest = divmod(number.rest, scale)
    rest, margin = rest * 10, number.margin * 10
    low = rest < margin
    high = rest + margin > tens if narrow else rest + margin >= tens
    digits: list[int] = []
    if quotient == 0 and not high:
        power -= 1
    else:
        digits.append(quotient)
    if power < -3 or power >= 8:
        # The scientific form always has a digit after the point.
        low = high = False
    while not low and not high:
        quotient, rest = divmod(rest, scale)
        rest, margin = rest * 10, margin * 10
        if narrow:
            # The JDK's fixed-width arithmetic overflows here. It ends the digits if `margin` does, and ignores that of the sum.
            low, high = (rest < margin, tens < rest + margin < limit) if margin < limit else (True, True)
        else:
            low, high = rest < margin, rest + margin >= tens
        digits.append(quotient)
    beyond_half = 2 * rest - tens
    if narrow:
        # This difference overflows too.
        beyond_half = (beyond_half + limit) % (2 * limit) - limit
    if high and (not low or beyond_half > 0 or (beyond_half == 0 and digits[-1] & 1)):
        _round_up(digits)
        if digits[0] == 10:
            digits[0] = 1
            power += 1
    return "".join(map(str, digits)), power + 1


def _round_up(digits: list[int]) -> None:
    """Adds one in the last place. All nines become a 10 in the first place and zeros after it."""
    index = len(digits) - 1
    while digits[index] == 9 and index > 0:
        digits[index] = 0
        index -= 1
    digits[index] += 1


def _bits_of_power(power: int) -> int:
    """Bounds the bits that a factor of 5^power adds, as the JDK does."""
    if power == 0:
        return 0
    return power * 3 if power >= 27 else (5**power).bit_length()
