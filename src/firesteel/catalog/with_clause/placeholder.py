"""Finds placeholders in values, which a document left for its reader to replace.

>>> placeholder("<yourHost>:<yourPort>,b:9092"), placeholder("xx.xx.xx.xx:9092"), placeholder("${secret_values.pw}")
('<yourHost>', 'xx.xx.xx.xx', '${secret_values.pw}')
>>> placeholder("broker:9092") is None
True
"""

from __future__ import annotations

import re

from firesteel.errors import Problem, Severity
from firesteel.options.entry import Given

_PLACEHOLDER = re.compile(
    r"<[A-Za-z_][^<>\n]{0,80}>"  # <yourTopicName>
    r"|\{\{[^{}\n]{0,80}\}\}"  # {{ topic }}
    r"|\$\{(?!env:)[^{}\n]{0,80}\}"  # ${secret_values.x}
    r"|\b[xX]{1,3}(?:\.[xX]{1,3}){3}\b"  # xx.xx.xx.xx
)
_DOTS = re.compile(r"\s*(?:\.\.\.|\u2026)\s*(?::\d+)?\s*")


def placeholder(text: str) -> str | None:
    """Returns the first placeholder in the text."""
    if _DOTS.fullmatch(text):
        return text.strip()
    found = _PLACEHOLDER.search(text)
    return found[0] if found is not None else None


#: Options whose values may look like a placeholder.
_MEANT = ("literal", "delimiter", "character", "pattern", "schema", "filter")


def check_placeholder(entry: Given) -> Problem | None:
    """Warns about a placeholder. It is no error: the rest of the script can be checked, and `run` would report the
    missing broker or topic.
    """
    if entry.key.endswith(_MEANT):
        return None
    found = None if entry.failed or entry.substituted else placeholder(entry.text)
    if found is None:
        return None
    if found.startswith("${"):
        hint = "Write the value itself, or '${env:NAME}' for a variable that the operator allows."
    else:
        hint = "Write the value itself."
    shown = "a placeholder" if entry.hidden else f"the placeholder '{found}'"
    return Problem(f"'{entry.written}' still has {shown}.", entry.value_span, hint, Severity.WARNING)
