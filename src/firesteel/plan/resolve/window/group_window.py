"""Resolves the older windows of GROUP BY: GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from firesteel.plan.node.window import Assigner, Hop, Session, Tumble, Window
from firesteel.plan.resolve.expression.resolver import ExpressionResolver
from firesteel.plan.resolve.mistake import Mistake, count
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.scope import Scope
from firesteel.plan.resolve.window.argument import check_time, window_length
from firesteel.plan.resolve.window.column import unique_names, visible_columns
from firesteel.sql.node import span_of

#: The older window functions of GROUP BY, and the number of INTERVALs that each takes.
_GROUP_WINDOWS = {"TUMBLE": 1, "HOP": 2, "SESSION": 1}
_PARTS = {"START": 0, "END": 1, "ROWTIME": 2}


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
            raise Mistake(f"'{node.name}' is not supported yet.", span_of(node))
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
    time, by_clock = check_time(resolved, relation.node, call.expressions[0], call.name)
    values = [window_length(node, relation.scope, call.name) for node in lengths]
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
    added = unique_names(relation.node)
    window = Window(relation.node, assigner, time.name, *added, by_clock=by_clock, span=span_of(call))
    opened = Relation(window, Scope((*relation.scope.columns, *visible_columns(window, _HIDDEN))))
    return GroupWindow(opened, call.name, tuple(call.expressions))


def _is_group_window(node: exp.Expression) -> bool:
    return isinstance(node, exp.Anonymous) and node.name in _GROUP_WINDOWS


def _column(name: str, at: exp.Expression) -> exp.Column:
    column = exp.Column(this=exp.Identifier(this=name, quoted=True))
    column.meta.update(at.meta)
    return column
