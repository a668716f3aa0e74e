"""Resolves an INSERT: checks its query's columns against the sink's, and its changelog against the changes the sink takes."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.catalog.cast import implicit_cast
from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.connector import has_key
from firesteel.catalog.table import Metadata, Physical, Table
from firesteel.changelog.kind import INSERT_ONLY, UPSERT, RowKind
from firesteel.errors import Problem, Severity
from firesteel.options.legacy import UpdateMode
from firesteel.options.setting import UPSERT_MATERIALIZE, UpsertMaterialize
from firesteel.plan.expression import Expression, Literal, column_refs
from firesteel.plan.fact.shared_key import can_share
from firesteel.plan.fact.upsert_key import upsert_keys
from firesteel.plan.function.signature import to_type
from firesteel.plan.node.relation import Aggregate, Filter, Join, Node, Project, Rank, Scan, Sink, Union, scans
from firesteel.plan.resolve.known import Hidden, Known
from firesteel.plan.resolve.mistake import Mistake, count, suggest
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.query import QueryResolver
from firesteel.plan.rewrite.passes import SHAPING, rewrite
from firesteel.sql.node import span_of
from firesteel.sql.statement import Insert
from firesteel.types import DataType, Field


def resolve_insert(insert: Insert, known: Known) -> Sink | None:
    """Returns the plan of the statement; None if it has a mistake, which is reported to `known`."""
    try:
        relation = QueryResolver(known).resolve(insert.query)
        table = _target(insert, known)
        node = _columns(insert, table, relation, known)
        sink = rewrite(Sink(node, table, insert.span), SHAPING)
        _check_ranks(sink)
        _check_conflicts(sink, insert)
        check_changelog(sink, insert, known)
        return sink
    except Mistake as mistake:
        known.report(mistake.problem)
    except Hidden:
        pass
    return None


def _target(insert: Insert, known: Known) -> Table:
    table = known.sink(insert.target, insert.hints)
    if insert.overwrite:
        raise Mistake("INSERT OVERWRITE does not work on a stream.", insert.span, "Write INSERT INTO.")
    return table


def _check_conflicts(sink: Sink, insert: Insert) -> None:
    """Refuses an ON CONFLICT that could have an effect: one is possible only if the primary key is not the query's own key."""
    action, unique = insert.on_conflict, sink.unique_key
    if action is None:
        return
    bare = next((scan.table.name for scan in scans(sink) if scan.table.watermark is None), None)
    if action.text == "ERROR" and bare is not None:
        raise Mistake(
            f"'ON CONFLICT DO ERROR' needs a WATERMARK in every table that is read, and '{bare}' has none.",
            action.span,
            "Add WATERMARK FOR column AS column to the table, or remove ON CONFLICT.",
        )
    if unique is not None and unique <= frozenset(sink.table.primary_key):
        return
    # Without deletes the last row of a key stays, as it does without the clause. If the query has no key at all, the
    # table's own key identifies its changes.
    keyless = unique is None and not any(scan.table.primary_key for scan in scans(sink))
    if action.text == "DEDUPLICATE" and (keyless or RowKind.DELETE not in sink.changelog):
        return
    raise Mistake(
        f"'ON CONFLICT DO {action.text}' is not supported yet.",
        action.span,
        "Remove it where no two rows of the query share a PRIMARY KEY of the table.",
    )


def sink_columns(table: Table) -> tuple[Field, ...]:
    """Returns the columns that an INSERT fills: physical columns and metadata columns that are not VIRTUAL."""
    return tuple(
        Field(column.name, column.type)
        for column in table.columns
        if isinstance(column, Physical) or (isinstance(column, Metadata) and not column.virtual)
    )


def _columns(insert: Insert, table: Table, relation: Relation, known: Known) -> Node:
    """Makes the Project that computes the sink's columns, matched by index, with Flink's implicit casts."""
    wanted = sink_columns(table)
    span = span_of(insert.query)
    if insert.columns:
        by_name = {field.name: field for field in wanted}
        for name in insert.columns:
            if name.text not in by_name:
                raise Mistake(
                    f"'{name.text}' is not a column of '{table.name}'.", name.span, suggest(name.text, by_name)
                )
        targets = tuple(by_name[name.text] for name in insert.columns)
    else:
        targets = wanted
    if len(relation.columns) != len(targets):
        given = ", ".join(f"{column.name} {column.ref.type.sql}" for column in relation.scope.columns)
        takes = ", ".join(f"{field.name} {field.type.sql}" for field in targets)
        raise Mistake(
            f"The query gives {count(len(relation.columns), 'column')} and '{table.name}' takes {len(targets)}.",
            span,
            f"The query gives ({given}); the table takes ({takes}).",
        )
    filled: dict[str, Expression] = {}
    fits = True
    for column, target in zip(relation.scope.columns, targets, strict=True):
        if not implicit_cast(column.ref.type, target.type):
            written = "This" if column.name.startswith("EXPR$") else f"'{column.name}'"
            known.report(
                Problem(
                    f"{written} is of type {column.ref.type.sql} and the column '{target.name}' of '{table.name}'"
                    f" is of type {target.type.sql}.",
                    column.span or span,
                    f"Write CAST({'…' if written == 'This' else column.name} AS {target.type.sql}).",
                )
            )
            fits = False
            continue
        filled[target.name] = to_type(column.ref, _loose(target.type))
    if not fits:
        raise Hidden()
    expressions = tuple(filled.get(field.name, Literal(None, field.type.with_nullable(True))) for field in wanted)
    return Project(relation.node, wanted, expressions, span)


def _loose(data_type: DataType) -> DataType:
    """Drops NOT NULL, which is checked for each row when it is written, not for the query."""
    return data_type.with_nullable(True)


def check_changelog(sink: Sink, insert: Insert, known: Known) -> None:
    """Checks that the sink takes the changes of the query, and that its key identifies their rows."""
    table = sink.table
    takes = sink_changelog(table)
    if takes == INSERT_ONLY and sink.changelog != INSERT_ONLY:
        culprit = updating_node(sink) or sink
        deletes = RowKind.DELETE in sink.changelog
        keys = ", ".join(sorted(sink.unique_key)) if sink.unique_key else "…"
        appends = table.update_mode is UpdateMode.APPEND
        why = (
            "'update-mode' = 'append'"
            if appends
            else f"'connector' = '{table.connector}' with '{table.value_format.name}'"
        )
        cure = f"Write into an 'upsert-kafka' table with PRIMARY KEY ({keys}) NOT ENFORCED."
        if appends and table.primary_key:
            cure = "Write 'update-mode' = 'upsert'."
        raise Mistake(
            f"'{table.name}' takes only inserts ({why}), and"
            f" this query also makes {'updates and deletes' if deletes else 'updates'}: {culprit.label}.",
            culprit.span or insert.span,
            cure,
        )
    # A missing PRIMARY KEY is reported for the table itself.
    if takes == UPSERT and has_key(table) and table.primary_key:
        try:
            _check_key(sink, insert, known)
        except Mistake as mistake:
            setting = UPSERT_MATERIALIZE
            if known.catalog.settings.get(setting.key) is not UpsertMaterialize.NONE:
                raise
            known.report(
                Problem(
                    f"{mistake.problem.message} '{setting.key}' is 'NONE': the deletion of one row deletes the others of its"
                    " key too.",
                    mistake.problem.span,
                    severity=Severity.WARNING,
                )
            )


def _check_key(sink: Sink, insert: Insert, known: Known) -> None:
    """Checks that the sink's primary key contains a unique key of the query: retracted rows are found by it."""
    base = _below_projects(sink)
    table, unique = sink.table, sink.unique_key
    if not isinstance(base, Aggregate):
        _check_changes(sink, insert, known)
        return
    if unique is None:
        raise Mistake(
            f"The query does not keep the columns that tell its rows apart, and '{table.name}' has"
            f" PRIMARY KEY ({', '.join(table.primary_key)}).",
            insert.target.span,
            "Select every column of GROUP BY, unchanged, into the primary key.",
        )
    if not unique <= frozenset(table.primary_key):
        raise Mistake(
            f"The rows of this query are told apart by ({', '.join(sorted(unique))}), and '{table.name}' has"
            f" PRIMARY KEY ({', '.join(table.primary_key)}), which several of them can share.",
            insert.target.span,
            "Group by columns of the primary key.",
        )
    if not unique and RowKind.UPDATE_BEFORE not in sink.changelog and not _constant_key(sink):
        raise Mistake(
            f"The query gives one row, and its PRIMARY KEY ({', '.join(table.primary_key)}) in '{table.name}' would"
            " change with it.",
            insert.target.span,
            "Select a constant into the primary key.",
        )


def _check_changes(sink: Sink, insert: Insert, known: Known) -> None:
    """Checks the primary key for changes not made by GROUP BY: of a changelog topic, a join, a Top-N, UNION ALL."""
    table, chosen = sink.table, frozenset(sink.table.primary_key)
    if sink.changelog == INSERT_ONLY or any(unique <= chosen for unique in upsert_keys(sink)):
        return
    key, setting = ", ".join(table.primary_key), f"SET '{UPSERT_MATERIALIZE.key}' = 'NONE' if no two rows share a key."
    told_apart = min(upsert_keys(sink), key=lambda one: (len(one), sorted(one)), default=None)
    names = ", ".join(field.name for field in sink.fields if told_apart and field.name in told_apart)
    cure = (
        f"Make ({names}) the primary key of '{table.name}', or {setting}"
        if names
        else f"{_key_cure(sink)}, or {setting}"
    )
    accepted = known.catalog.settings.get(UPSERT_MATERIALIZE.key) is UpsertMaterialize.NONE
    if can_share(sink, chosen):
        what = f"Several rows of this query can share the PRIMARY KEY ({key}) of '{table.name}'"
        since = f", since they are told apart by ({names})" if names else ""
        end = f"'{UPSERT_MATERIALIZE.key}' is 'NONE', so the deletion of one deletes the others too."
        if not accepted:
            end = "to keep the others when one of them goes is not supported yet."
        problem = Problem(
            f"{what}{since}; {end}",
            insert.target.span,
            None if accepted else cure,
            Severity.WARNING if accepted else Severity.ERROR,
        )
        # Reported, not raised: other problems of the query are reported too.
        known.report(problem)
    elif not accepted:
        known.report(
            Problem(
                f"Two rows of this query might share the PRIMARY KEY ({key}) of '{table.name}': then the deletion of one"
                " deletes the other too.",
                insert.target.span,
                cure,
                Severity.WARNING,
            )
        )


def _key_cure(sink: Sink) -> str:
    """Suggests how to get a unique key of the query into the primary key."""
    for scan in scans(sink):
        if scan.changelog != INSERT_ONLY and not scan.table.primary_key:
            return f"Declare the PRIMARY KEY of '{scan.table.name}', and select its columns into that of '{sink.table.name}'"
    kinds = {type(node) for node in _nodes(sink)}
    if Rank in kinds:
        return "Select ROW_NUMBER() and the columns of PARTITION BY into the primary key"
    if Union in kinds:
        return "Write an INSERT for each side of UNION ALL, into tables of their own"
    return f"Select the key columns of the query's tables, unchanged, into the primary key of '{sink.table.name}'"


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.inputs:
        yield from _nodes(child)


def _below_projects(node: Node) -> Node:
    while isinstance(node, Sink | Project | Filter):
        node = node.input
    return node


def _check_ranks(node: Node) -> None:
    for child in node.inputs:
        _check_ranks(child)
    if isinstance(node, Rank) and node.last is None:
        raise Mistake(
            "ROW_NUMBER() without a limit would have to number all rows anew with every row.",
            node.span,
            "Put it into a subquery and write WHERE row_num <= 3 around it.",
        )


def _constant_key(sink: Sink) -> bool:
    """Says whether every column of the primary key is a constant."""
    node = sink.input
    if not isinstance(node, Project):
        return False
    by_name = dict(zip((field.name for field in node.fields), node.expressions, strict=True))
    return all(not any(column_refs(by_name[name])) for name in sink.table.primary_key)


def updating_node(node: Node) -> Node | None:
    """Finds the lowest node that makes updates, for a message."""
    for child in node.inputs:
        found = updating_node(child)
        if found is not None:
            return found
    made_here = node.changelog != INSERT_ONLY and all(child.changelog == INSERT_ONLY for child in node.inputs)
    return node if made_here and isinstance(node, Scan | Aggregate | Rank | Join) else None
