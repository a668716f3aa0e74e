"""Resolves window functions in FROM: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), …))."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from firesteel.plan.expression import ColumnRef
from firesteel.plan.node.window import Assigner, Cumulate, Hop, Session, Tumble, Window
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.scope import Scope
from firesteel.plan.resolve.window.argument import check_time, window_length
from firesteel.plan.resolve.window.column import ADDED, unique_names, visible_columns
from firesteel.sql.node import span_of

#: The parameters of each window function, in their order; those in the second tuple are optional.
_PARAMETERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "TUMBLE": (("DATA", "TIMECOL", "SIZE"), ("OFFSET",)),
    "HOP": (("DATA", "TIMECOL", "SLIDE", "SIZE"), ("OFFSET",)),
    "CUMULATE": (("DATA", "TIMECOL", "STEP", "SIZE"), ("OFFSET",)),
    "SESSION": (("DATA", "TIMECOL", "GAP"), ()),
}

ResolveTable = Callable[[exp.Expression], Relation]


def resolve_window_table(node: exp.TableFromRows, resolve: ResolveTable) -> Relation:
    """Resolves a window function in FROM; `resolve` resolves its table."""
    call = node.this
    if not isinstance(call, exp.Anonymous) or call.name not in _PARAMETERS:
        raise Mistake(
            "This function does not stand behind FROM, or not yet.",
            span_of(node),
            f"The functions that do are {', '.join(_PARAMETERS)}.",
        )
    arguments = _named_arguments(call)
    table = arguments["DATA"]
    if not isinstance(table, exp.Table | exp.Subquery):
        raise Mistake(f"'{call.name}' takes a table first.", span_of(table), "Write TABLE before its name.")
    partition = table.args.get("partition")
    relation = resolve(table)
    time, by_clock = _descriptor(arguments["TIMECOL"], relation, call)
    taken = [name for name in ADDED if name in relation.columns]
    if taken:
        raise Mistake(
            f"The table of '{call.name}' has a column '{taken[0]}' already, which the window would add.",
            span_of(table),
            "Give it another name in a subquery.",
        )
    lengths = {
        name: window_length(value, relation.scope, call.name)
        for name, value in arguments.items()
        if name not in ("DATA", "TIMECOL")
    }
    assigner = _assigner(call, lengths)
    if partition is not None and not isinstance(assigner, Session):
        raise Mistake(f"'PARTITION BY' does not stand in '{call.name}'.", span_of(partition), "Use GROUP BY instead.")
    keys = _partition(partition, relation.scope)
    added = unique_names(relation.node)
    window = Window(relation.node, assigner, time.name, *added, keys, by_clock=by_clock, span=span_of(call))
    return Relation(window, Scope((*relation.scope.columns, *visible_columns(window, ADDED))))


def _partition(partition: exp.Partition | None, scope: Scope) -> tuple[str, ...]:
    names = []
    for node in partition.expressions if partition is not None else ():
        key = ExpressionResolver(scope, "PARTITION BY").resolve(node)
        if not isinstance(key, ColumnRef):
            raise Mistake("'PARTITION BY' takes columns.", span_of(node))
        names.append(key.name)
    return tuple(names)


def _named_arguments(call: exp.Anonymous) -> dict[str, exp.Expression]:
    needed, optional = _PARAMETERS[call.name]
    known = (*needed, *optional)
    given: dict[str, exp.Expression] = {}
    for index, argument in enumerate(call.expressions):
        if isinstance(argument, exp.Kwarg):
            name, value = argument.this.name, argument.expression
        elif index < len(known) and len(given) == index:
            name, value = known[index], argument
        else:
            raise Mistake(
                f"'{call.name}' has {count(len(call.expressions), 'argument')} and takes"
                f" {len(needed)}{f' or {len(known)}' if optional else ''}.",
                span_of(call),
            )
        if name not in known or name in given:
            raise Mistake(
                f"'{name}' is {'given twice' if name in given else 'no argument'} of '{call.name}'.",
                span_of(argument),
                f"Its arguments are {', '.join(known)}.",
            )
        given[name] = value
    missing = [name for name in needed if name not in given]
    if missing:
        raise Mistake(f"'{call.name}' needs {', '.join(missing)}.", span_of(call), _usage(call.name))
    return given


def _usage(name: str) -> str:
    needed, optional = _PARAMETERS[name]
    lengths = ", ".join(f"INTERVAL '…' MINUTE ({part.lower()})" for part in needed[2:])
    return f"Write {name}(TABLE t, DESCRIPTOR(ts), {lengths}{' [, offset]' if optional else ''})."


def _descriptor(node: exp.Expression, relation: Relation, call: exp.Anonymous) -> tuple[ColumnRef, bool]:
    if not isinstance(node, exp.Anonymous) or node.name != "DESCRIPTOR" or len(node.expressions) != 1:
        raise Mistake(f"'{call.name}' takes its time as DESCRIPTOR(column).", span_of(node))
    found = ExpressionResolver(relation.scope, "DESCRIPTOR").resolve(node.expressions[0])
    return check_time(found, relation.node, node, call.name)


def _assigner(call: exp.Anonymous, lengths: dict[str, int]) -> Assigner:
    name, span = call.name, span_of(call)
    offset = lengths.pop("OFFSET", 0)
    for parameter, value in lengths.items():
        if value <= 0:
            raise Mistake(f"The {parameter.lower()} of '{name}' has to be more than zero.", span)
    size = lengths.get("SIZE", 0)
    part = lengths.get("SLIDE") or lengths.get("STEP") or size
    if abs(offset) >= (size if name == "TUMBLE" else part) and offset:
        raise Mistake(f"The offset of '{name}' has to be shorter than its windows are apart.", span)
    if name in ("HOP", "CUMULATE") and size % part:
        what = "slide" if name == "HOP" else "step"
        raise Mistake(f"The size of '{name}' has to be a multiple of its {what}.", span)
    match name:
        case "TUMBLE":
            return Tumble(size, offset)
        case "HOP":
            return Hop(part, size, offset)
        case "CUMULATE":
            return Cumulate(part, size, offset)
        case _:
            return Session(lengths["GAP"])
