"""`'connector' = 'print'`: rows are shown to whoever runs the job; on a cluster they go to the executors' logs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO

import pyarrow as pa

from firesteel.catalog.table import Table
from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import INSERT_ONLY, RowKind
from firesteel.connectors.print.options import PRINT_IDENTIFIER, STANDARD_ERROR
from firesteel.errors import FiresteelError
from firesteel.formats.bound import BoundFormat
from firesteel.observe.shown import OnShown, ShownRows
from firesteel.options.table import SINK_PARALLELISM
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.node.relation import Sink
from firesteel.spark.failure import carry
from firesteel.spark.sink.at_least_once import WRITTEN_ROW, SinkSpec, Writing
from firesteel.spark.sink.checked_rows import CheckedRows
from firesteel.spark.sink.net_change import net_changes
from firesteel.spark.sink.row_text import row_texts
from firesteel.spark.task import task_number
from firesteel.types import Field

#: What one task shows of a batch.
_MOST_LINES = 10_000
_MOST_CHARACTERS = 4_000_000
#: Of one row.
_MOST_OF_A_LINE = 100_000

_PRINTED_ROW = f"{WRITTEN_ROW}, shown string"


@dataclass(frozen=True)
class PrintSpec:
    table: str
    fields: tuple[Field, ...]
    drop_nulls: bool
    check_lengths: bool
    identifier: str
    standard_error: bool
    #: Changes come in no order: a row that goes as often as it comes has not changed.
    net: bool
    #: Whether rows can be other than new.
    updates: bool
    #: The columns that tell rows apart, where something does.
    key_columns: tuple[str, ...]
    tasks: int | None = None
    key: BoundFormat | None = None


def topics(table: Table) -> tuple[Mapping[str, str], tuple[str, ...]] | None:
    return None


def open_sink(sink: Sink, *, drop_nulls: bool, check_lengths: bool, most_bytes: int | None) -> SinkSpec:
    options = sink.table.options
    return PrintSpec(
        sink.table.name,
        sink.fields,
        drop_nulls,
        check_lengths,
        options.get(PRINT_IDENTIFIER) or "",
        options.get(STANDARD_ERROR) is True,
        not is_in_order(sink),
        sink.changelog != INSERT_ONLY,
        tuple(sorted(sink.unique_key or ())),
        options.get(SINK_PARALLELISM),
    )


def make_writing(spec: SinkSpec, *, is_local: bool, on_shown: OnShown) -> Writing:
    assert isinstance(spec, PrintSpec)

    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        lines = Lines()
        try:
            for texts in _texts(spec, batches):
                lines.add(texts)
        except FiresteelError as error:
            raise carry(error) from None
        if not is_local:
            _print_here(spec, lines)
        shown = json.dumps([lines.left_out, lines.kept if is_local else []])
        told = [pa.array([lines.count], pa.int64()), pa.nulls(1, pa.string()), pa.array([shown], pa.string())]
        yield pa.RecordBatch.from_arrays(told, names=["written", "failure", "shown"])

    def show(told: list[str]) -> None:
        found = [json.loads(text) for text in told]
        lines = [
            f"{prefix(spec.identifier, number if len(found) > 1 else None)}{line}"
            for number, (_, kept) in enumerate(found)
            for line in kept
        ]
        left_out = sum(count for count, _ in found)
        if lines or left_out:
            on_shown(ShownRows(spec.table, tuple(lines), left_out, spec.standard_error))

    return Writing(task, _PRINTED_ROW, show if is_local else None)


class Lines:
    """The rows of a task, as many as are shown."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.count = 0
        self._size = 0

    @property
    def left_out(self) -> int:
        return self.count - len(self.kept)

    def add(self, texts: list[str]) -> None:
        self.count += len(texts)
        for text in texts:
            if len(self.kept) >= _MOST_LINES or self._size >= _MOST_CHARACTERS:
                return
            self.kept.append(text if len(text) <= _MOST_OF_A_LINE else f"{text[:_MOST_OF_A_LINE]} …")
            self._size += len(text)


def _texts(spec: PrintSpec, batches: Iterable[pa.RecordBatch]) -> Iterator[list[str]]:
    rows = CheckedRows(spec)
    if not spec.net:
        for batch in batches:
            checked, kinds = rows.checked(batch, _kinds(spec, batch))
            yield row_texts(checked, spec.fields, kinds)
        return
    whole = [batch for batch in batches if batch.num_rows]
    if not whole:
        return
    batch = pa.Table.from_batches(whole).combine_chunks().to_batches()[0]
    checked, kinds = rows.checked(batch, batch.column(KIND))
    assert kinds is not None
    values = [text[2:].encode() for text in row_texts(checked, spec.fields, None)]
    changes = net_changes([None] * len(values), values, kinds.to_pylist(), by_key=False)
    taken = checked.take(pa.array([change.row for change in changes], pa.int64()))
    yield _paired(spec, taken, [change.kind for change in changes])


def _kinds(spec: PrintSpec, batch: pa.RecordBatch) -> pa.Array | None:
    if KIND in batch.schema.names:
        return batch.column(KIND)
    # Of a row that is new or changed and nothing else, nobody says which.
    return pa.repeat(pa.scalar(CODES[RowKind.UPDATE_AFTER], pa.int8()), batch.num_rows) if spec.updates else None


def _paired(spec: PrintSpec, rows: pa.RecordBatch, kinds: list[RowKind]) -> list[str]:
    """An old row and the new one of its key are an update, one below the other."""
    bare = [text[2:] for text in row_texts(rows, spec.fields, None)]
    keyed = [field for field in spec.fields if field.name in spec.key_columns]
    keys = row_texts(rows, keyed, None) if keyed else bare
    seen: dict[str, set[RowKind]] = {}
    for key, kind in zip(keys, kinds, strict=True):
        seen.setdefault(key, set()).add(kind)
    places = {key: place for place, key in enumerate(seen)}
    rows_of = sorted(range(len(keys)), key=lambda row: (places[keys[row]], kinds[row] is RowKind.INSERT))
    return [f"{_sign(kinds[row], update=bool(keyed) and len(seen[keys[row]]) > 1)}{bare[row]}" for row in rows_of]


def _sign(kind: RowKind, *, update: bool) -> str:
    if kind is RowKind.INSERT:
        return "+U" if update else "+I"
    return "-U" if update else "-D"


def prefix(identifier: str, task: int | None) -> str:
    """
    >>> prefix("", None), prefix("id", None), prefix("", 0), prefix("id", 1)
    ('', 'id> ', '1> ', 'id:2> ')
    """
    name = ":".join([*filter(None, [identifier]), *([] if task is None else [str(task + 1)])])
    return f"{name}> " if name else ""


def _print_here(spec: PrintSpec, lines: Lines) -> None:
    """Into the log of the executor. Its tasks are told apart, for there may be several."""
    out: IO[str] = sys.stderr if spec.standard_error else sys.stdout
    for line in lines.kept:
        print(f"{prefix(spec.identifier, task_number())}{line}", file=out)
    if lines.left_out:
        print(f"{prefix(spec.identifier, task_number())}… and {lines.left_out:,} more rows", file=out)
    out.flush()
