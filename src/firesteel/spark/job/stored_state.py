"""Reads what operators of the state engine keep in the checkpoint of a job that does not run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.errors.exceptions.base import PySparkException
from pyspark.sql import DataFrame, SparkSession

from firesteel.errors import JobError
from firesteel.spark.damage import wrong_state
from firesteel.spark.failure import describe, explain_failure
from firesteel.spark.lower.keyed.report import TITLE
from firesteel.state.cache import Cache
from firesteel.state.damage import DamagedState, ForeignFormat
from firesteel.state.manifest import FORMAT
from firesteel.state.segment import GONE, KEYS, TOUCH
from firesteel.state.state import Now, State, TableReport
from firesteel.storage.folder import Folder

_OPERATOR = "transformWithStateInPySparkExec"


@dataclass(frozen=True)
class FoundRow:
    """A row of a table of an operator. `changed`: when it was written last, in milliseconds since 1970, where state ends."""

    table: str
    values: Mapping[str, Any]
    changed: int | None


@dataclass(frozen=True)
class StoredOperator:
    """What an operator keeps: its buckets, and for each of its tables the sums over them.

    `found` are the rows of a key, `columns` those that were looked at.
    """

    name: str
    buckets: int
    tables: Mapping[str, TableReport]
    found: tuple[FoundRow, ...] = ()
    columns: frozenset[str] = frozenset()
    format: int = FORMAT

    @property
    def total(self) -> TableReport:
        return _sum(list(self.tables.values()))


class _Blobs:
    """A bucket's manifest and pieces, which are only read."""

    def __init__(self, manifest: bytes, pieces: Mapping[str, bytes]) -> None:
        self._manifest, self._pieces = manifest, pieces

    def load(self) -> bytes | None:
        return self._manifest

    def get(self, name: str) -> bytes | None:
        return self._pieces.get(name)

    def save(self, manifest: bytes) -> None:
        raise AssertionError("The state of a stopped job is only read.")

    def put(self, name: str, blob: bytes) -> None:
        raise AssertionError("The state of a stopped job is only read.")

    def remove(self, name: str) -> None:
        raise AssertionError("The state of a stopped job is only read.")


def read_operators(
    session: SparkSession, query: Folder, key: Mapping[str, str] | None = None
) -> tuple[StoredOperator, ...]:
    """Reads what each operator of a query keeps, as its last finished batch has left it, and the rows of a key."""
    with _told(query):
        metadata = session.read.format("state-metadata").load(query.uri).collect()
    numbers = sorted({row.operatorId for row in metadata if row.operatorName == _OPERATOR})
    return tuple(_operator(session, query, number, key) for number in numbers)


def _operator(session: SparkSession, query: Folder, number: int, key: Mapping[str, str] | None) -> StoredOperator:
    with _told(query):
        manifests = {
            row.key.bucket: bytes(row.value.value) for row in _variable(session, query, number, "manifest").collect()
        }
    tables: dict[str, list[TableReport]] = {}
    found: list[FoundRow] = []
    columns: set[str] = set()
    name = _OPERATOR
    for bucket, manifest in sorted(manifests.items()):
        pieces: dict[str, bytes] = {}
        if key is not None:
            with _told(query):
                rows = _variable(session, query, number, "pieces").where(f"key.bucket = {bucket}").collect()
            pieces = {row.user_map_key.name: bytes(row.user_map_value.value) for row in rows}
        try:
            with tempfile.TemporaryDirectory(prefix="firesteel-state-") as folder:
                state = State(_Blobs(manifest, pieces), Cache(Path(folder)), Now(0, 0))
                name = state.own.get(TITLE, name)
                for table, report in state.report().items():
                    tables.setdefault(table, []).append(report)
                    if key is not None:
                        found += _matching(table, state.table(table).whole(), key, columns)
        except (DamagedState, ForeignFormat) as error:
            raise wrong_state(error, name, query.name) from None
    sums = {table: _sum(reports) for table, reports in sorted(tables.items())}
    return StoredOperator(name, len(manifests), sums, tuple(found), frozenset(columns))


def _variable(session: SparkSession, query: Folder, number: int, name: str) -> DataFrame:
    reader = session.read.format("statestore").option("operatorId", number).option("stateVarName", name)
    return reader.load(query.uri)


def _matching(table: str, rows: pa.RecordBatch | None, key: Mapping[str, str], columns: set[str]) -> Iterator[FoundRow]:
    if rows is None:
        return
    names = [name for name in rows.schema.names if name not in (*KEYS, GONE, TOUCH)]
    columns.update(name for name in names if not name.startswith("__"))
    if not set(key) <= set(names):
        return
    texts = {name: [render_value(value) for value in rows.column(name).to_pylist()] for name in key}
    touched = rows.column(TOUCH).to_pylist() if TOUCH in rows.schema.names else [None] * rows.num_rows
    for place in range(rows.num_rows):
        if all(texts[name][place] == wanted for name, wanted in key.items()):
            values = {name: rows.column(name)[place].as_py() for name in names}
            yield FoundRow(table, values, touched[place])


def render_value(value: Any) -> str:
    """Renders a value as `--key` takes it.

    >>> render_value(None), render_value(True), render_value(7)
    ('NULL', 'true', '7')
    """
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sum(reports: Sequence[TableReport]) -> TableReport:
    return TableReport(
        sum(one.rows for one in reports),
        sum(one.bytes for one in reports),
        sum(one.segments for one in reports),
        sum(one.merging for one in reports),
        min((one.oldest for one in reports if one.oldest is not None), default=None),
    )


@contextmanager
def _told(query: Folder) -> Iterator[None]:
    """Makes a sentence of what Spark says of state that it cannot read."""
    try:
        yield
    except PySparkException as error:
        text = describe(error)
        if "STDS_" in text and ("NO_PARTITION" in text or "COMMITTED_BATCH" in text):
            raise JobError(f"'{query.name}' has no finished batch, so it keeps nothing yet.") from None
        raise explain_failure(text, query) from None
