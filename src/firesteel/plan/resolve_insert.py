"""An INSERT to a plan: its query's columns against the sink's, its changes against what the sink takes."""

from __future__ import annotations

from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.table import Metadata, Physical, Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, RowKind
from firesteel.plan.expression import Expression, Literal, column_refs
from firesteel.plan.known import Hidden, Known
from firesteel.plan.merge_projects import merge_projects
from firesteel.plan.mistake import Mistake, count, suggest
from firesteel.plan.node import Aggregate, Node, Project, Scan, Sink
from firesteel.plan.relation import Relation
from firesteel.plan.resolve_expression import to_type
from firesteel.plan.resolve_query import QueryResolver
from firesteel.plan.type_rule import implicit_cast
from firesteel.sql.node import span_of
from firesteel.sql.statement import Insert
from firesteel.types import DataType, Field


def resolve_insert(insert: Insert, known: Known) -> Sink | None:
    """The plan of the statement, or None when the problems of `known` say why there is none."""
    try:
        relation = QueryResolver(known).resolve(insert.query)
        table = _target(insert, known)
        node = _columns(insert, table, relation)
        # Merged, so that a key that is a constant can be seen to be one.
        sink = Sink(merge_projects(node), table, insert.span)
        check_changelog(sink, insert)
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


def sink_columns(table: Table) -> tuple[Field, ...]:
    """The columns an INSERT fills: the physical ones and the metadata that is not VIRTUAL."""
    return tuple(
        Field(column.name, column.type)
        for column in table.columns
        if isinstance(column, Physical) or (isinstance(column, Metadata) and not column.virtual)
    )


def _columns(insert: Insert, table: Table, relation: Relation) -> Node:
    """A Project that gives each column of the sink its value, by position, cast where Flink casts by itself."""
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
    for column, target in zip(relation.scope.columns, targets, strict=True):
        if not implicit_cast(column.ref.type, target.type):
            written = "This" if column.name.startswith("EXPR$") else f"'{column.name}'"
            raise Mistake(
                f"{written} is of type {column.ref.type.sql} and the column '{target.name}' of '{table.name}'"
                f" is of type {target.type.sql}.",
                column.span or span,
                f"Write CAST({'…' if written == 'This' else column.name} AS {target.type.sql}).",
            )
        filled[target.name] = to_type(column.ref, _loose(target.type))
    expressions = tuple(filled.get(field.name, Literal(None, field.type.with_nullable(True))) for field in wanted)
    return Project(relation.node, wanted, expressions, span)


def _loose(data_type: DataType) -> DataType:
    """NOT NULL is checked when the row is written: it is the row's fault then, not the query's."""
    return data_type.with_nullable(True)


def check_changelog(sink: Sink, insert: Insert) -> None:
    table = sink.table
    takes = sink_changelog(table)
    if takes == INSERT_ONLY and sink.changelog != INSERT_ONLY:
        culprit = updating_node(sink) or sink
        deletes = RowKind.DELETE in sink.changelog
        keys = ", ".join(sorted(sink.unique_key)) if sink.unique_key else "…"
        raise Mistake(
            f"'{table.name}' takes only inserts ('connector' = '{table.connector}' with '{table.value_format.name}'), and "
            f"this query also makes {'updates and deletes' if deletes else 'updates'}: {culprit.label}.",
            culprit.span or insert.span,
            f"Write into an 'upsert-kafka' table with PRIMARY KEY ({keys}) NOT ENFORCED.",
        )
    # Where the old row comes before the new one, a change of the key takes the old key back by itself.
    if takes == UPSERT and sink.changelog != INSERT_ONLY and RowKind.UPDATE_BEFORE not in sink.changelog:
        key = frozenset(table.primary_key)
        if sink.unique_key is not None and sink.unique_key != key and not (not sink.unique_key and _constant_key(sink)):
            unique = ", ".join(sorted(sink.unique_key)) or "none, it gives one row"
            raise Mistake(
                f"The rows of this query are told apart by ({unique}), and '{table.name}' has"
                f" PRIMARY KEY ({', '.join(table.primary_key)}).",
                insert.target.span,
                "Group by the columns of the primary key. A key that differs is not supported yet.",
            )
        if sink.unique_key is None:
            raise Mistake(
                f"The query does not keep the columns that tell its rows apart, and '{table.name}' has"
                f" PRIMARY KEY ({', '.join(table.primary_key)}).",
                insert.target.span,
                "Select every column of GROUP BY, unchanged, into the primary key.",
            )
    if takes == ALL and sink.changelog not in (INSERT_ONLY, ALL):
        raise Mistake(
            f"An updating query into '{table.value_format.name}' is not supported yet.",
            insert.target.span,
            "Write into an 'upsert-kafka' table.",
        )


def _constant_key(sink: Sink) -> bool:
    """One row in all, written under a constant key."""
    node = sink.input
    if not isinstance(node, Project):
        return False
    by_name = dict(zip((field.name for field in node.fields), node.expressions, strict=True))
    return all(not any(column_refs(by_name[name])) for name in sink.table.primary_key)


def updating_node(node: Node) -> Node | None:
    """The lowest node that makes updates: the one to name in a message."""
    for child in node.inputs:
        found = updating_node(child)
        if found is not None:
            return found
    made_here = node.changelog != INSERT_ONLY and all(child.changelog == INSERT_ONLY for child in node.inputs)
    return node if made_here and isinstance(node, Scan | Aggregate) else None
