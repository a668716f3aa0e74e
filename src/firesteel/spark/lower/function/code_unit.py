"""Handles texts in Java's code units: a character beyond U+FFFF is two of them, and some of Flink's functions count
them.

LPAD, RPAD, OVERLAY and a SPLIT at every character do; SUBSTRING, LEFT, RIGHT, CHAR_LENGTH, POSITION, LOCATE, INSTR and
REVERSE count characters, as Spark does. If such a function cuts a character in two, each half becomes a question mark
(`formats/java/text.py`).

Units are written as four hexadecimal digits and a blank, so that Spark's own functions can cut and pad them.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

SIZE = 5
_BEYOND_FIRST_PLANE = r"[\x{10000}-\x{10FFFF}]"
#: The first half of a surrogate pair without the second, or the second without the first.
_HALF = r"D[89AB].. (?!D[C-F])|(?<!D[89AB].. )D[C-F].. "


def is_wide(*texts: Column) -> Column:
    """Checks whether a text has a character of two units. Otherwise characters and units are the same."""
    return F.rlike(F.concat(*texts), F.lit(_BEYOND_FIRST_PLANE))


def of(text: Column) -> Column:
    return F.regexp_replace(F.hex(F.encode(text, "UTF-16BE")), "(.{4})", "$1 ")


def each(text: Column) -> Column:
    """Returns an array of the units."""
    return F.regexp_extract_all(of(text), F.lit("[0-9A-F]{4} "), F.lit(0))


def text(units: Column) -> Column:
    whole = F.regexp_replace(units, _HALF, "003F ")
    return F.decode(F.unhex(F.replace(whole, F.lit(" "), F.lit(""))), "UTF-16BE")


def length(units: Column) -> Column:
    return F.char_length(units) / SIZE


def part(units: Column, start: Column, size: Column) -> Column:
    """Returns `size` units from position `start` on, which counts from 1."""
    return F.substring(units, ((start - 1) * SIZE + 1).cast("int"), (size * SIZE).cast("int"))
