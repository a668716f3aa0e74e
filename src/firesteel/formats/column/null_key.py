"""A NULL key of a map. Neither Spark's maps nor Arrow's can hold one, so a text that nobody writes stands in for it."""

from __future__ import annotations

#: U+FDD0 is a noncharacter: Unicode keeps it for use within programs.
NULL_KEY = "\ufdd0NULL"
