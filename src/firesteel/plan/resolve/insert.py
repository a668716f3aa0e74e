"""Resolves an INSERT: checks its query's columns against the sink's, and its changelog against the changes the sink takes."""

from __future__ import annotations

from firesteel.catalog.cast import implicit_cast
from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.table import Metadata, Physical, Table
from firesteel.changelog.kind import INSERT_ONLY, RowKind
from firesteel.errors import Problem
from firesteel.options.legacy import UpdateMode
from firesteel.options.setting import CDC_EVENTS_DUPLICATE
from firesteel.plan.expression import Expression, Literal
from firesteel.plan.function.signature import to_type
from firesteel.plan.node.relation import Aggregate, Join, Node, Project, Rank, Scan, Sink
from firesteel.plan.resolve.conflict import choose_query_key, materialize
from firesteel.plan.resolve.known import Hidden, Known
from firesteel.plan.resolve.mistake import Mistake, count, suggest
from firesteel.plan.resolve.named_relation import Relation
from firesteel.plan.resolve.query import QueryResolver
from firesteel.plan.rewrite.keep_old_rows import keep_old_rows
from firesteel.plan.rewrite.normalize_duplicates import normalize_duplicates
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
        if known.catalog.settings.get(CDC_EVENTS_DUPLICATE.key) is True:
            sink = rewrite(sink, (normalize_duplicates,))
        _check_ranks(sink)
        check_changelog(sink, insert)
        sink = rewrite(materialize(sink, insert, known), (keep_old_rows,))
        return choose_query_key(sink)
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


def check_changelog(sink: Sink, insert: Insert) -> None:
    """Checks that the sink takes the changes of the query."""
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


def _check_ranks(node: Node) -> None:
    for child in node.inputs:
        _check_ranks(child)
    if isinstance(node, Rank) and node.last is None:
        raise Mistake(
            "ROW_NUMBER() without a limit would have to number all rows anew with every row.",
            node.span,
            "Put it into a subquery and write WHERE row_num <= 3 around it.",
        )


def updating_node(node: Node) -> Node | None:
    """Finds the lowest node that makes updates, for a message."""
    for child in node.inputs:
        found = updating_node(child)
        if found is not None:
            return found
    made_here = node.changelog != INSERT_ONLY and all(child.changelog == INSERT_ONLY for child in node.inputs)
    return node if made_here and isinstance(node, Scan | Aggregate | Rank | Join) else None
