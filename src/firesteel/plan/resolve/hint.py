"""The hints of `SELECT /*+ … */`: STATE_TTL says how long state stays; the others have no effect, and get a warning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from sqlglot import exp

from firesteel.errors import Problem, Severity
from firesteel.options.kind import DURATION
from firesteel.plan.resolve.group import has_aggregate
from firesteel.sql.node import span_of, written_name

_LOOKUP = "has no effect: no join looks rows up in another system yet."
_BATCH = "has no effect: it chooses among the joins of Flink's batch jobs."

#: Flink's hints: why each has no effect here, and what to do.
_HINTS = {
    "BROADCAST": (_BATCH, "Remove it."),
    "SHUFFLE_HASH": (_BATCH, "Remove it."),
    "SHUFFLE_MERGE": (_BATCH, "Remove it."),
    "NEST_LOOP": (_BATCH, "Remove it."),
    "LOOKUP": (_LOOKUP, "Remove it."),
    "MULTI_JOIN": ("has no effect: joins are never merged.", "Remove it."),
    # Alibaba's.
    "REPLICATED_SHUFFLE_HASH": (_LOOKUP, "Remove it."),
    "SKEW": ("has no effect: keys are not redistributed by their frequency.", "Remove it."),
}

#: Hints whose arguments are `'table' = 'duration'`. The second is Alibaba's.
_TTL, _JOIN_TTL = "STATE_TTL", "JOIN_STATE_TTL"
_BY_KEY = frozenset({_TTL, _JOIN_TTL})


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
        elif name in _BY_KEY:
            yield from _durations(one)
            sentence, advice = _idle_ttl(name, select)
        else:
            sentence, advice = _HINTS.get(name, ("is no hint that Flink has.", "Remove it."))
        if sentence:
            yield Problem(f"The hint '{written_name(one)}' {sentence}", span_of(one), advice, Severity.WARNING)
        for argument in one.expressions if name in _HINTS or name in _BY_KEY else ():
            table = _table_of(name, argument)
            if table is not None and table not in names:
                known = ", ".join(sorted(names)) or "none"
                message = f"The hint '{written_name(one)}' names '{table}', which is no table of this query."
                yield Problem(message, span_of(argument), f"The tables are {known}.", Severity.WARNING)


def hinted_ttl(select: exp.Select, source: exp.Expression, join: bool) -> int | None:
    """Returns how long a hint keeps the state over a table of FROM, in milliseconds; None if no hint names it."""
    hint = select.args.get("hint")
    for one in hint.expressions if hint is not None else ():
        if not isinstance(one, exp.Anonymous) or one.name.upper() not in (_BY_KEY if join else {_TTL}):
            continue
        for argument in one.expressions:
            if isinstance(argument, exp.EQ) and argument.this.name in (source.alias_or_name, source.name):
                return _milliseconds(argument.expression.name)
    return None


def _milliseconds(text: str) -> int | None:
    try:
        return DURATION.parse(text) // timedelta(milliseconds=1)
    except ValueError:
        return None


def _durations(hint: exp.Anonymous) -> Iterator[Problem]:
    """Reports arguments that are no `'table' = 'duration'`."""
    for one in hint.expressions:
        if not isinstance(one, exp.EQ):
            message = f"The hint '{written_name(hint)}' needs the name of a table and a length of time."
            yield Problem(message, span_of(one), "Write for example 'orders' = '1 d'.")
        elif _milliseconds(one.expression.name) is None:
            message = f"'{one.expression.name}' is not a length of time."
            yield Problem(message, span_of(one), "Write for example '1 d', '12 h' or '30 min'.")


def _idle_ttl(name: str, select: exp.Select) -> tuple[str, str]:
    """Tells why a time to live has no effect in a query; an empty sentence if it has one."""
    if select.args.get("joins"):
        return "", ""
    if name == _JOIN_TTL:
        return "has no effect: this query has no join.", "Remove it."
    grouped = select.args.get("group") or select.args.get("distinct") or any(map(has_aggregate, select.expressions))
    return ("", "") if grouped else ("has no effect: it is for joins and GROUP BY.", "Remove it.")


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
