"""Makes `docs/functions.md`: the functions of each family with their arguments, and the missing ones."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.plan.function.absent import ABSENT_AGGREGATES, ABSENT_OVER
from firesteel.plan.function.aggregate import aggregate_names
from firesteel.plan.function.signature import Function
from firesteel.plan.function.table import FAMILIES, SYNONYMS, Family

_HEAD = """\
# Functions

[Reference](reference/en/README.md)

Flink's system functions, with Flink's types and its results on NULL, in time zones and at the edges. This page is made by
`firesteel options --write docs/reference` from the rows that `check` reads. A function that is missing is refused by `check`.
"""

_TAIL = """\
## Where results differ from Flink's

- `CURRENT_TIMESTAMP`, `NOW()`, `LOCALTIMESTAMP`, `PROCTIME()` and the like are those of the batch, the same for all its rows.
- Timestamps have microseconds: digits behind the sixth are cut.
- A regular expression that cannot be read stops the job when the first row comes; Flink's functions give NULL, or refuse it.
- `TO_DATE` gives NULL for a text that does not fit its pattern.
- `JSON_VALUE(… RETURNING DOUBLE)` takes whole numbers too. JSON paths have no filters (`?()`) and no functions.
- `RAND(seed)` gives other numbers than Java's generator.
- `ENCODE` fails on characters that the character set does not have; Flink writes a question mark.
- Patterns of dates have to be literals.
- A MAP literal may have a NULL key if its keys are text.
"""

#: The forms of functions with a syntax of their own. All others are calls.
_WRITTEN = {
    "EXTRACT": "EXTRACT(unit FROM time)",
    "FLOOR TO": "FLOOR(time TO unit)",
    "CEIL TO": "CEIL(time TO unit)",
    "TRIM BOTH": "TRIM(BOTH text FROM text)",
    "TRIM LEADING": "TRIM(LEADING text FROM text)",
    "TRIM TRAILING": "TRIM(TRAILING text FROM text)",
    "POSITION": "POSITION(text IN text)",
    "OVERLAY": "OVERLAY(text PLACING text FROM number [FOR number])",
    "TIMESTAMPADD": "TIMESTAMPADD(unit, number, time)",
    "TIMESTAMPDIFF": "TIMESTAMPDIFF(unit, time, time)",
    "JSON_VALUE": "JSON_VALUE(text, path [RETURNING type] [NULL, ERROR or DEFAULT value ON EMPTY] [… ON ERROR])",
    "JSON_QUERY": "JSON_QUERY(text, path [RETURNING type] [… WRAPPER] [… ON EMPTY] [… ON ERROR])",
    "JSON_EXISTS": "JSON_EXISTS(text, path [TRUE, FALSE, UNKNOWN or ERROR ON ERROR])",
    "JSON_OBJECT": "JSON_OBJECT([KEY] key VALUE value, … [NULL or ABSENT ON NULL])",
    "JSON_ARRAY": "JSON_ARRAY(value, … [NULL or ABSENT ON NULL])",
    "JSON": "JSON(text), within JSON_OBJECT and JSON_ARRAY",
    "IS JSON": "text IS [NOT] JSON [VALUE, OBJECT, ARRAY or SCALAR]",
    **{name: name for name in ("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP")},
}


def render_functions() -> str:
    return "\n".join((_HEAD, *("\n".join(_section(family)) for family in FAMILIES), _aggregates(), _TAIL))


def _aggregates() -> str:
    names, absent, over = ("`, `".join(names) for names in (aggregate_names(), ABSENT_AGGREGATES, ABSENT_OVER))
    return f"## Aggregates\n\n`{names}`.\n\nMissing: `{absent}`; with OVER: `{over}`.\n"


def _section(family: Family) -> Iterator[str]:
    yield f"## {family.name}\n"
    for function in sorted(family.functions, key=lambda function: function.name):
        others = sorted(name for name, meant in SYNONYMS.items() if meant == function.name)
        also = f"; also `{'`, `'.join(others)}`" if others else ""
        yield f"- `{_written(function)}`{also}"
    yield ""
    if family.missing:
        yield f"Missing: `{'`, `'.join(family.missing)}`.\n"


def _written(function: Function) -> str:
    if function.name in _WRITTEN:
        return _WRITTEN[function.name]
    needed = [parameter.says for parameter in function.parameters]
    optional = "".join(f"[, {says}]" for says in needed[function.least :])
    if not function.least:
        optional = optional.replace("[, ", "[", 1)
    return f"{function.name}({', '.join(needed[: function.least])}{optional}{', …' if function.repeats else ''})"
