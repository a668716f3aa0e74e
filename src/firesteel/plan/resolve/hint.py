"""Warns about the hints of `SELECT /*+ … */`: none of them has an effect yet."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from firesteel.errors import Problem, Severity
from firesteel.sql.node import span_of, written_name

_LOOKUP = "has no effect: no join looks rows up in another system yet."
_BATCH = "has no effect: it chooses among the joins of Flink's batch jobs."

#: Flink's hints: why each has no effect here, and what to do.
_HINTS = {
    "STATE_TTL": (
        "has no effect yet: state is kept for ever.",
        "Remove it, unless the script has to run on Flink too.",
    ),
    "BROADCAST": (_BATCH, "Remove it."),
    "SHUFFLE_HASH": (_BATCH, "Remove it."),
    "SHUFFLE_MERGE": (_BATCH, "Remove it."),
    "NEST_LOOP": (_BATCH, "Remove it."),
    "LOOKUP": (_LOOKUP, "Remove it."),
    "MULTI_JOIN": ("has no effect: joins are never merged.", "Remove it."),
    # Alibaba's.
    "REPLICATED_SHUFFLE_HASH": (_LOOKUP, "Remove it."),
    "SKEW": ("has no effect: keys are not redistributed by their frequency.", "Remove it."),
    "JOIN_STATE_TTL": (
        "has no effect yet: state is kept for ever.",
        "Remove it, unless the script has to run on Flink too.",
    ),
}

#: Hints whose arguments are `'table' = 'value'`.
_BY_KEY = frozenset({"STATE_TTL", "JOIN_STATE_TTL"})


def advise_hints(select: exp.Select) -> Iterator[Problem]:
    hint = select.args.get("hint")
    if hint is None:
        return
    names = _tables(select)
    for one in hint.expressions:
        if not isinstance(one, exp.Anonymous):
            continue
        name = one.name.upper()
        if name == "OPTIONS":
            sentence, advice = "has no effect behind SELECT.", "Write it behind the name of the table that it is for."
        else:
            sentence, advice = _HINTS.get(name, ("is no hint that Flink has.", "Remove it."))
        yield Problem(f"The hint '{written_name(one)}' {sentence}", span_of(one), advice, Severity.WARNING)
        for argument in one.expressions if name in _HINTS else ():
            table = _table_of(name, argument)
            if table is not None and table not in names:
                known = ", ".join(sorted(names)) or "none"
                message = f"The hint '{written_name(one)}' names '{table}', which is no table of this query."
                yield Problem(message, span_of(argument), f"The tables are {known}.", Severity.WARNING)


def _tables(select: exp.Select) -> set[str]:
    """Returns the names and aliases of the query's tables."""
    sources = [select.args.get("from_") or select.args.get("from"), *(select.args.get("joins") or ())]
    names: set[str] = set()
    for source in sources:
        if source is not None:
            names.update(name for name in (source.this.alias_or_name, source.this.name) if name)
    return names


def _table_of(hint: str, argument: exp.Expression) -> str | None:
    if isinstance(argument, exp.EQ):
        key, value = argument.this.name, argument.expression.name
        if hint in _BY_KEY:
            return str(key)
        return str(value) if key == "table" else None
    return str(argument.name) if isinstance(argument, exp.Column | exp.Literal) and hint not in _BY_KEY else None
