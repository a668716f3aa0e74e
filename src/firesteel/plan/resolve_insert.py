"""An INSERT to a plan: its query's columns against the sink's, its changes against what the sink takes."""

from __future__ import annotations

from firesteel.catalog.changelog import sink_changelog
from firesteel.catalog.table import Metadata, Physical, Table
from firesteel.changelog import INSERT_ONLY, UPSERT, RowKind
from firesteel.errors import Problem
from firesteel.plan.expression import Expression, Literal, column_refs
from firesteel.plan.keep_old_rows import keep_old_rows
from firesteel.plan.known import Hidden, Known
from firesteel.plan.limit_rank import limit_rank
from firesteel.plan.merge_projects import merge_projects
from firesteel.plan.mistake import Mistake, count, suggest
from firesteel.plan.node import Aggregate, Filter, Join, Node, Project, Rank, Scan, Sink, scans
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
        node = _columns(insert, table, relation, known)
        # Merged, so that a key that is a constant can be seen to be one.
        sink = keep_old_rows(Sink(limit_rank(merge_projects(node)), table, insert.span))
        _check_ranks(sink)
        check_changelog(sink, insert)
        _check_conflicts(sink, insert)
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
    """Rows of two keys can meet in one row of the table only where its key is not the query's own."""
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
    # The last row of a key stays, as without the clause, unless rows of another key go. Where no key is known at all, the
    # table's own tells the changes apart.
    keyless = unique is None and not any(scan.table.primary_key for scan in scans(sink))
    if action.text == "DEDUPLICATE" and (keyless or RowKind.DELETE not in sink.changelog):
        return
    raise Mistake(
        f"'ON CONFLICT DO {action.text}' is not supported yet.",
        action.span,
        "Remove it where no two rows of the query share a PRIMARY KEY of the table.",
    )


def sink_columns(table: Table) -> tuple[Field, ...]:
    """The columns an INSERT fills: the physical ones and the metadata that is not VIRTUAL."""
    return tuple(
        Field(column.name, column.type)
        for column in table.columns
        if isinstance(column, Physical) or (isinstance(column, Metadata) and not column.virtual)
    )


def _columns(insert: Insert, table: Table, relation: Relation, known: Known) -> Node:
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
    if takes == UPSERT:
        _check_key(sink, insert)


def _check_key(sink: Sink, insert: Insert) -> None:
    """Groups are told apart by their key, so the sink's key has to be that key, or more than it."""
    base = _below_projects(sink)
    if not isinstance(base, Aggregate):
        return
    table, unique = sink.table, sink.unique_key
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
    return node if made_here and isinstance(node, Scan | Aggregate | Rank | Join) else None
