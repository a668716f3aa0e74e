"""Runs `'connector' = 'print'`: rows are shown to whoever runs the job; on a cluster they go to the executors' logs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import pyarrow as pa

from firesteel.changelog.hidden import CODES, KIND
from firesteel.changelog.kind import INSERT_ONLY, RowKind
from firesteel.connectors.print.options import PRINT_IDENTIFIER, STANDARD_ERROR
from firesteel.errors import FiresteelError
from firesteel.observe.shown import ShownRows
from firesteel.options.table import SINK_PARALLELISM
from firesteel.plan.fact.retraction import is_in_order
from firesteel.plan.node.relation import Sink
from firesteel.spark.connector.port import OpenSink, OpenSource, Runtime, SinkPlace
from firesteel.spark.failure import carry
from firesteel.spark.sink.at_least_once import WRITTEN_ROW, AtLeastOnce, Writing
from firesteel.spark.sink.batch import BatchEnd, BatchWriter
from firesteel.spark.sink.checked_rows import CheckedRows, SinkColumns
from firesteel.spark.sink.layout import Layout
from firesteel.spark.sink.net_change import net_changes
from firesteel.spark.sink.row_text import row_texts
from firesteel.spark.task import task_number

#: What one task shows of a batch.
_MOST_LINES = 10_000
_MOST_CHARACTERS = 4_000_000
#: Of one row.
_MOST_OF_A_LINE = 100_000

_PRINTED_ROW = f"{WRITTEN_ROW}, shown string"


@dataclass(frozen=True)
class PrintSpec:
    """What a task needs to show rows."""

    columns: SinkColumns
    identifier: str
    standard_error: bool
    #: Changes come in no order: a row that is retracted as often as it is inserted has not changed.
    net: bool
    #: Whether rows can be other than new.
    updates: bool
    #: The columns that tell rows apart, where something does.
    key_columns: tuple[str, ...]


class PrintRuntime(Runtime):
    def open_sink(self, sink: Sink, place: SinkPlace) -> OpenSink:
        options = sink.table.options
        spec = PrintSpec(
            SinkColumns(sink.table.name, sink.fields, place.drop_nulls, place.check_lengths),
            options.get(PRINT_IDENTIFIER) or "",
            options.get(STANDARD_ERROR) is True,
            not is_in_order(sink),
            sink.changelog != INSERT_ONLY,
            tuple(sorted(sink.unique_key or ())),
        )
        return PrintSink(spec, Layout(options.get(SINK_PARALLELISM)), place)


class PrintSink(OpenSink):
    def __init__(self, spec: PrintSpec, layout: Layout, place: SinkPlace) -> None:
        self._spec = spec
        self._layout = layout
        self._place = place

    def make_writer(self, end: BatchEnd, sources: Sequence[OpenSource]) -> BatchWriter:
        is_local = self._place.is_local
        writing = Writing(_make_task(self._spec, is_local), _PRINTED_ROW, self._show if is_local else None)
        return AtLeastOnce(self._layout, writing, end)

    def _show(self, reports: list[str]) -> None:
        """Shows what the tasks of a batch give back. Called on the driver."""
        spec, found = self._spec, [json.loads(text) for text in reports]
        lines = [
            f"{prefix(spec.identifier, number if len(found) > 1 else None)}{line}"
            for number, (_, kept) in enumerate(found)
            for line in kept
        ]
        left_out = sum(count for count, _ in found)
        if lines or left_out:
            self._place.on_shown(ShownRows(spec.columns.table, tuple(lines), left_out, spec.standard_error))


def _make_task(spec: PrintSpec, is_local: bool) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
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
        report = [pa.array([lines.count], pa.int64()), pa.nulls(1, pa.string()), pa.array([shown], pa.string())]
        yield pa.RecordBatch.from_arrays(report, names=["written", "failure", "shown"])

    return task


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
    rows = CheckedRows(spec.columns)
    if not spec.net:
        for batch in batches:
            checked, kinds = rows.checked(batch, _kinds(spec, batch))
            yield row_texts(checked, spec.columns.fields, kinds)
        return
    whole = [batch for batch in batches if batch.num_rows]
    if not whole:
        return
    batch = pa.Table.from_batches(whole).combine_chunks().to_batches()[0]
    checked, kinds = rows.checked(batch, batch.column(KIND))
    assert kinds is not None
    values = [text[2:].encode() for text in row_texts(checked, spec.columns.fields, None)]
    changes = net_changes([None] * len(values), values, kinds.to_pylist(), by_key=False)
    taken = checked.take(pa.array([change.row for change in changes], pa.int64()))
    yield _paired(spec, taken, [change.kind for change in changes])


def _kinds(spec: PrintSpec, batch: pa.RecordBatch) -> pa.Array | None:
    if KIND in batch.schema.names:
        return batch.column(KIND)
    # Of a row that is new or changed and nothing else, nobody says which.
    return pa.repeat(pa.scalar(CODES[RowKind.UPDATE_AFTER], pa.int8()), batch.num_rows) if spec.updates else None


def _paired(spec: PrintSpec, rows: pa.RecordBatch, kinds: list[RowKind]) -> list[str]:
    """Renders net changes: an old row and the new one of its key are an update, one below the other."""
    bare = [text[2:] for text in row_texts(rows, spec.columns.fields, None)]
    keyed = [field for field in spec.columns.fields if field.name in spec.key_columns]
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
    """Gives what stands before each row: the identifier, and the number of the task where there are several.


    >>> prefix("", None), prefix("id", None), prefix("", 0), prefix("id", 1)
    ('', 'id> ', '1> ', 'id:2> ')
    """
    name = ":".join([*filter(None, [identifier]), *([] if task is None else [str(task + 1)])])
    return f"{name}> " if name else ""


def _print_here(spec: PrintSpec, lines: Lines) -> None:
    """Prints into the log of the executor. Its tasks are told apart, for there may be several."""
    out: IO[str] = sys.stderr if spec.standard_error else sys.stdout
    for line in lines.kept:
        print(f"{prefix(spec.identifier, task_number())}{line}", file=out)
    if lines.left_out:
        print(f"{prefix(spec.identifier, task_number())}… and {lines.left_out:,} more rows", file=out)
    out.flush()
