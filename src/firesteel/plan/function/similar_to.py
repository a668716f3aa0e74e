"""Converts a pattern of `SIMILAR TO` to a regular expression of Java's.

>>> similar_regex("a(b|c)_%", None)
'a(b|c).(?s:.*)'
>>> similar_regex("x[[:digit:]a-f]+", None)
'x[\\\\da-f]+'
>>> similar_regex("a]", None)
Traceback (most recent call last):
ValueError: a]
"""

from __future__ import annotations

_SPECIAL_HERE = "[]()|^-+*_%?{}"
_SPECIAL_IN_JAVA = "[]()|^-+*?{}$\\."

#: The character classes in double brackets.
_CLASSES = {
    "[:ALPHA:]": r"\p{Alpha}",
    "[:UPPER:]": r"\p{Upper}",
    "[:LOWER:]": r"\p{Lower}",
    "[:DIGIT:]": r"\d",
    "[:SPACE:]": " ",
    "[:WHITESPACE:]": r"\s",
    "[:ALNUM:]": r"\p{Alnum}",
}
_CLASSES |= {name.lower(): regex for name, regex in _CLASSES.items()}


def similar_regex(pattern: str, escape: str | None) -> str:
    """Converts the pattern. Raises ValueError if it is not one."""
    made: list[str] = []
    position = 0
    while position < len(pattern):
        sign = pattern[position]
        if sign == escape:
            made.append(_escaped(pattern, position, escape))
            position += 2
        elif sign == "[":
            position = _enumeration(pattern, position, escape, made)
        elif sign == "]":
            raise ValueError(pattern)
        else:
            made.append({"_": ".", "%": "(?s:.*)", "\\": "\\\\", "$": "\\$"}.get(sign, sign))
            position += 1
    return "".join(made)


def _escaped(pattern: str, position: int, escape: str) -> str:
    following = pattern[position + 1 : position + 2]
    if not following or (following not in _SPECIAL_HERE and following != escape):
        raise ValueError(pattern)
    return f"\\{following}" if following in _SPECIAL_IN_JAVA else following


def _enumeration(pattern: str, position: int, escape: str | None, made: list[str]) -> int:
    """Reads `[…]` and returns the position after it."""
    made.append("[")
    position += 1
    while position < len(pattern) and pattern[position] != "]":
        sign = pattern[position]
        if sign == escape:
            made.append(_escaped(pattern, position, escape))
            position += 2
            continue
        named = next((name for name in _CLASSES if pattern.startswith(name, position)), None)
        if named is not None:
            made.append(_CLASSES[named])
            position += len(named)
            continue
        if sign in _SPECIAL_HERE and sign not in "-^":
            raise ValueError(pattern)
        made.append(sign)
        position += 1
    if position >= len(pattern):
        raise ValueError(pattern)
    made.append("]")
    return position + 1
