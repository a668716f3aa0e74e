"""Resolves windows: TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), …)) in FROM, and the older GROUP BY TUMBLE(ts, …)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from sqlglot import exp

from firesteel.changelog.kind import INSERT_ONLY, render_changelog
from firesteel.plan.expression import ColumnRef, Expression, Literal
from firesteel.plan.fact.event_time_loss import explain_loss
from firesteel.plan.node.relation import (
    Aggregate,
    Filter,
    Join,
    Materialize,
    Node,
    Normalize,
    Project,
    Rank,
    Scan,
    Sink,
    TimeJoin,
    Union,
    Unnest,
    Values,
)
from firesteel.plan.node.window import Assigner, Cumulate, Hop, Session, Tumble, Watermark, Window, WindowAggregate
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.plan.resolve.named_relation import Names, Relation
from firesteel.plan.resolve.scope import Scope, Visible
from firesteel.sql.node import span_of
from firesteel.types import Interval

#: The parameters of each window function, in their order; those in the second tuple are optional.
_PARAMETERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "TUMBLE": (("DATA", "TIMECOL", "SIZE"), ("OFFSET",)),
    "HOP": (("DATA", "TIMECOL", "SLIDE", "SIZE"), ("OFFSET",)),
    "CUMULATE": (("DATA", "TIMECOL", "STEP", "SIZE"), ("OFFSET",)),
    "SESSION": (("DATA", "TIMECOL", "GAP"), ()),
}

#: The columns that a window function adds.
_ADDED = ("window_start", "window_end", "window_time")

#: The older window functions of GROUP BY, and the number of INTERVALs that each takes.
_GROUP_WINDOWS = {"TUMBLE": 1, "HOP": 2, "SESSION": 1}
_PARTS = {"START": 0, "END": 1, "ROWTIME": 2}

ResolveTable = Callable[[exp.Expression], Relation]


# -- TABLE(TUMBLE(…)) ----------------------------------------------------------------------------------------------


def resolve_window_table(node: exp.TableFromRows, resolve: ResolveTable) -> Relation:
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
    time = _descriptor(arguments["TIMECOL"], relation, call)
    taken = [name for name in _ADDED if name in relation.columns]
    if taken:
        raise Mistake(
            f"The table of '{call.name}' has a column '{taken[0]}' already, which the window would add.",
            span_of(table),
            "Give it another name in a subquery.",
        )
    lengths = {
        name: _length(value, relation.scope, call.name)
        for name, value in arguments.items()
        if name not in ("DATA", "TIMECOL")
    }
    assigner = _assigner(call, lengths)
    if partition is not None and not isinstance(assigner, Session):
        raise Mistake(f"'PARTITION BY' does not stand in '{call.name}'.", span_of(partition), "Use GROUP BY instead.")
    keys = _partition(partition, relation.scope)
    window = Window(relation.node, assigner, time.name, *_unique_names(relation.node), keys, span=span_of(call))
    return Relation(window, Scope((*relation.scope.columns, *_visible(window, _ADDED))))


def _partition(partition: exp.Partition | None, scope: Scope) -> tuple[str, ...]:
    names = []
    for node in partition.expressions if partition is not None else ():
        key = ExpressionResolver(scope, "PARTITION BY").resolve(node)
        if not isinstance(key, ColumnRef):
            raise Mistake("'PARTITION BY' takes columns.", span_of(node))
        names.append(key.name)
    return tuple(names)


def _visible(window: Window, names: tuple[str, ...]) -> Iterator[Visible]:
    relation = ""
    for name, column in zip(names, window.fields[-3:], strict=True):
        yield Visible(relation, name, ColumnRef(column.name, column.type))


def _unique_names(node: Node) -> tuple[str, str, str]:
    names = Names()
    for column in node.fields:
        names.unique(column.name)
    start, end, rowtime = (names.unique(name) for name in _ADDED)
    return start, end, rowtime


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


def _descriptor(node: exp.Expression, relation: Relation, call: exp.Anonymous) -> ColumnRef:
    if not isinstance(node, exp.Anonymous) or node.name != "DESCRIPTOR" or len(node.expressions) != 1:
        raise Mistake(f"'{call.name}' takes its event time as DESCRIPTOR(column).", span_of(node))
    found = ExpressionResolver(relation.scope, "DESCRIPTOR").resolve(node.expressions[0])
    return check_event_time(found, relation.node, node, call.name)


def check_event_time(column: Expression, node: Node, written: exp.Expression, function: str) -> ColumnRef:
    """Returns the column, if it is event time of the node and the node only inserts."""
    span = span_of(written)
    if not isinstance(column, ColumnRef) or column.name not in node.event_times:
        message, hint = explain_loss(column, node, function)
        raise Mistake(message, span, hint)
    unusable = next((mark for mark in _watermarks(node) if mark.delay is None), None)
    if unusable is not None:
        raise Mistake(
            f"The watermark of '{unusable.column}' is neither the column nor the column minus an INTERVAL, which"
            f" '{function}' needs.",
            unusable.span,
            f"Write WATERMARK FOR {unusable.column} AS {unusable.column} - INTERVAL '5' SECOND.",
        )
    if node.changelog != INSERT_ONLY:
        raise Mistake(
            f"'{function}' takes only inserts, and its input also changes rows: {render_changelog(node.changelog)}.",
            span,
            "Use it on a table that is only appended to.",
        )
    return column


def _watermarks(node: Node) -> Iterator[Watermark]:
    if isinstance(node, Watermark):
        yield node
    for child in node.inputs:
        yield from _watermarks(child)


def _length(node: exp.Expression, scope: Scope, function: str) -> int:
    value = ExpressionResolver(scope, function).resolve(node)
    if not isinstance(value, Literal) or not isinstance(value.type, Interval) or not isinstance(value.value, int):
        raise Mistake(f"'{function}' takes a constant INTERVAL here.", span_of(node), "Write INTERVAL '10' SECOND.")
    if value.type.months:
        raise Mistake(
            f"'{function}' takes no INTERVAL of months: they are not all of one length.",
            span_of(node),
            "Write it in days.",
        )
    if value.value % 1000:
        raise Mistake(f"'{function}' takes whole milliseconds.", span_of(node))
    return value.value // 1000


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


# -- GROUP BY TUMBLE(…) --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroupWindow:
    """The window of a GROUP BY: `relation` has its columns, and `rewrite` replaces its functions by them."""

    relation: Relation
    function: str
    arguments: tuple[exp.Expression, ...]

    def rewrite(self, node: exp.Expression) -> exp.Expression:
        """Replaces TUMBLE_START(…) and the like in a copy of the expression."""
        found = self._part(node)
        if found is not None:
            return found
        copy: exp.Expression = node.copy()
        for inner in list(copy.find_all(exp.Anonymous)):
            part = self._part(inner)
            if part is not None and inner is not copy:
                inner.replace(part)
        return copy

    def rewrite_select(self, select: exp.Select) -> exp.Select:
        """Groups a copy of the SELECT by the window's columns; by its time only if the query uses TUMBLE_ROWTIME or the like."""
        changed: exp.Select = select.copy()
        rowtime = any(call.name == f"{self.function}_ROWTIME" for call in changed.find_all(exp.Anonymous))
        group, having = changed.args["group"], changed.args.get("having")
        keys: list[exp.Expression] = []
        for node in group.expressions:
            window = [_column(name, node) for name in _HIDDEN[: 3 if rowtime else 2]]
            keys += window if _is_group_window(node) else [self.rewrite(node)]
        group.set("expressions", keys)
        if having is not None:
            having.set("this", self.rewrite(having.this))
        return changed

    def _part(self, node: exp.Expression) -> exp.Expression | None:
        if not isinstance(node, exp.Anonymous):
            return None
        function, _, part = node.name.rpartition("_")
        if function not in _GROUP_WINDOWS or part not in (*_PARTS, "PROCTIME"):
            return None
        if function != self.function or tuple(node.expressions) != self.arguments:
            raise Mistake(
                f"'{node.name}' needs the same window as GROUP BY has.",
                span_of(node),
                f"Write it with the arguments of {self.function}.",
            )
        if part == "PROCTIME":
            raise Mistake(f"'{node.name}' is not supported yet: windows go by event time.", span_of(node))
        return _column(_HIDDEN[_PARTS[part]], node)


#: Names of the window's columns that no query can write.
_HIDDEN = ("$window_start", "$window_end", "$window_time")


def open_group_window(relation: Relation, select: exp.Select) -> GroupWindow | None:
    """Puts the window of GROUP BY above the relation; None if GROUP BY has no window."""
    group = select.args.get("group")
    found = [node for node in (group.expressions if group else ()) if _is_group_window(node)]
    if not found:
        return None
    if len(found) > 1:
        raise Mistake("GROUP BY has a second window.", span_of(found[1]), "Keep one.")
    call = found[0]
    assert isinstance(call, exp.Anonymous)
    lengths = call.expressions[1:]
    if len(lengths) != _GROUP_WINDOWS[call.name]:
        raise Mistake(
            f"'{call.name}' in GROUP BY takes event time and {count(_GROUP_WINDOWS[call.name], 'INTERVAL')}.",
            span_of(call),
        )
    resolved = ExpressionResolver(relation.scope, "GROUP BY").resolve(call.expressions[0])
    time = check_event_time(resolved, relation.node, call.expressions[0], call.name)
    values = [_length(node, relation.scope, call.name) for node in lengths]
    if any(value <= 0 for value in values):
        raise Mistake(f"The lengths of '{call.name}' have to be more than zero.", span_of(call))
    assigner: Assigner
    match call.name:
        case "TUMBLE":
            assigner = Tumble(values[0])
        case "HOP":
            assigner = Hop(values[0], values[1])
        case _:
            assigner = Session(values[0])
    window = Window(relation.node, assigner, time.name, *_unique_names(relation.node), span=span_of(call))
    opened = Relation(window, Scope((*relation.scope.columns, *_visible(window, _HIDDEN))))
    return GroupWindow(opened, call.name, tuple(call.expressions))


def _is_group_window(node: exp.Expression) -> bool:
    return isinstance(node, exp.Anonymous) and node.name in _GROUP_WINDOWS


def _column(name: str, at: exp.Expression) -> exp.Column:
    column = exp.Column(this=exp.Identifier(this=name, quoted=True))
    column.meta.update(at.meta)
    return column


# -- the aggregate of a window -------------------------------------------------------------------------------------


def close_window(node: Node) -> Node:
    """Makes an aggregate whose keys hold start and end of a window a WindowAggregate; returns any other node unchanged."""
    if not isinstance(node, Aggregate):
        return node
    window, held = node.input.window_columns, frozenset(node.keys)
    if window is None or not window.starts & held or not window.ends & held:
        return node
    aggregate = WindowAggregate(
        node.input,
        node.keys,
        node.fields,
        node.calls,
        window.assigner,
        window.starts & held,
        window.ends & held,
        window.rowtimes & held,
        window.is_local,
        node.span,
    )
    session = _session_partition(node.input)
    if session is not None and session != frozenset(aggregate.other_keys):
        partition, grouped = ", ".join(sorted(session)), ", ".join(aggregate.other_keys)
        raise Mistake(
            f"SESSION is partitioned by {partition or 'nothing'} and GROUP BY by {grouped or 'nothing'} beside the window;"
            " sessions of other groups are not supported yet.",
            node.span,
            f"Write PARTITION BY {grouped} in SESSION." if grouped else "Group by the columns of PARTITION BY.",
        )
    return aggregate


def close_rank(rank: Rank) -> Rank:
    """Lets a Rank whose partition holds start and end of a window emit its rows when the window closes."""
    window, held = rank.input.window_columns, frozenset(rank.partition)
    if window is None or not window.starts & held or not window.ends & held:
        return rank
    return replace(rank, window_end=min(window.ends & held), window_is_local=window.is_local)


def _session_partition(node: Node) -> frozenset[str] | None:
    """Returns the columns that partition a SESSION function, under their names at this node; None if there is no such function."""
    match node:
        case Window(assigner=Session(), partition=partition):
            return None if partition is None else frozenset(partition)
        case Project():
            inner = _session_partition(node.input)
            if inner is None:
                return None
            names = {
                expression.name: field.name
                for field, expression in zip(node.fields, node.expressions, strict=True)
                if isinstance(expression, ColumnRef)
            }
            return frozenset(names.get(name, name) for name in inner)
        case Window() | Scan() | Values() | Normalize() | Watermark() | Filter() | Union() | Unnest() | Sink():
            return None
        case Materialize() | Aggregate() | WindowAggregate() | Join() | TimeJoin() | Rank():
            # No session is open here: `check_windows` refuses anything but a Project between SESSION and GROUP BY.
            return None
        case _:
            assert_never(node)
