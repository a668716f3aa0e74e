"""Defines the text that represents a NULL key of a map, since neither Spark's maps nor Arrow's can have one."""

from __future__ import annotations

#: U+FDD0 is a noncharacter: Unicode keeps it for use within programs.
NULL_KEY = "\ufdd0NULL"
