"""Recorded Flink behaviour, as far as a decoder and an encoder alone can show it.

Only the cases whose script copies a table into another are taken: they are then one decode and one encode.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from tests.conformance.recorded import load_cases
from tests.formats.formats_tables import bind, parse_columns, parse_options
from tests.jobs.case import Case

from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.formats.codec import EncodeError

_AREAS = ("json-source", "json-sink", "csv", "avro")
_KEY = re.compile(r",\s*PRIMARY KEY \(\w+\) NOT ENFORCED")
_TABLE = re.compile(r"CREATE TABLE (\w+) \(\n(.*?)\n\) WITH \((.*?)\);", re.DOTALL)
_COPY = re.compile(r"INSERT INTO snk SELECT (.*?) FROM src;")


def _copies() -> list[Case]:
    cases = []
    for case in load_cases():
        if case.area not in _AREAS and "'format'='raw'" not in case.sql:
            continue
        copy = _COPY.search(case.sql)
        if copy is None or case.differs or case.sql.startswith("SET") or "METADATA" in case.sql:
            continue
        names = [column.split()[0] for column in _split(_TABLE.findall(case.sql)[0][1])]
        if copy[1] == "*" or copy[1].split(", ") == names:
            cases.append(case)
    return cases


def _split(columns: str) -> list[str]:
    return [column.strip() for column in re.split(r",(?![^<(]*[>)])", columns)]


@pytest.mark.parametrize("case", _copies(), ids=lambda case: case.name)
def test_a_copied_table_gives_the_bytes_of_flink(case: Case) -> None:
    (_, source_columns, source_options), (_, sink_columns, sink_options) = _TABLE.findall(case.sql)
    messages = [message.value for message in case.input["in"]]
    error = case.error_message
    if "key.format" in case.sql:
        pytest.skip("the key is another format's")
    try:
        source = bind(parse_columns(source_columns), *parse_options(source_options))
        sink = bind(parse_columns(sink_columns), *parse_options(sink_options))
        decoded = make_decoder(source, source.columns).decode(messages)
        encoder = make_encoder(sink)
    except ValueError:
        assert error is not None
        return
    if error is not None and "NOT NULL" in error:
        pytest.skip("the plan enforces NOT NULL")
    if error is not None:
        assert [reject for reject in decoded.rejects if not reject.kept]
        return
    ignores = "ignore-parse-errors" in case.sql
    assert ignores or all(reject.kept for reject in decoded.rejects)
    try:
        written = encoder.encode(pa.RecordBatch.from_arrays(decoded.batch.columns, names=list(sink.columns)))
    except EncodeError as problem:
        raise AssertionError(problem.detail) from problem
    wanted = [message.value for message in case.expected["out"]]
    if case.has_micros:
        # Flink's nanoseconds are cut to Spark's microseconds.
        cut = re.compile(rb"(\.\d{6})\d{1,3}")
        wanted = [value and cut.sub(rb"\1", value) for value in wanted]
    assert written == wanted


def _changelogs() -> list[Case]:
    """The copies of a changelog into another, or into the values of an upsert topic."""
    return [
        case
        for case in load_cases()
        if case.area in ("debezium", "canal") and "SELECT * FROM src;" in case.sql and case.error_phase in (None, "run")
    ]


@pytest.mark.parametrize("case", _changelogs(), ids=lambda case: case.name)
def test_a_copied_changelog_gives_the_bytes_of_flink(case: Case) -> None:
    (_, source_columns, source_options), (_, sink_columns, sink_options) = _TABLE.findall(case.sql)
    source = bind(parse_columns(_KEY.sub("", source_columns)), *parse_options(source_options))
    sink_format = re.search(r"'(value\.)?format'='([\w-]+)'", sink_options)
    assert sink_format is not None
    sink_options = sink_options.replace("'value.format'", "'format'")
    sink = bind(parse_columns(_KEY.sub("", sink_columns)), *parse_options(sink_options))
    messages = [message.value for message in case.input["in"]]
    decoded = make_decoder(source, source.columns).decode(messages)
    error = case.error_message
    if error is not None and "NOT NULL" in error:
        pytest.skip("the plan enforces NOT NULL")
    if error is not None:
        assert [reject for reject in decoded.rejects if not reject.kept]
        assert "REPLICA IDENTITY" not in error or "REPLICA IDENTITY" in decoded.rejects[0].detail
        return
    batch = pa.RecordBatch.from_arrays(decoded.batch.columns, names=list(sink.columns))
    written = make_encoder(sink).encode(batch, decoded.kinds)
    if "upsert-kafka" in sink_options:
        kinds = decoded.kinds.to_pylist() if decoded.kinds is not None else [0] * len(written)
        # The connector writes a null value for what is taken back; with a key in the source, not before an update.
        dropped = {1} if "PRIMARY KEY" in source_columns else set()
        written = [
            None if kind in (1, 3) else value for kind, value in zip(kinds, written, strict=True) if kind not in dropped
        ]
    assert written == [message.value for message in case.expected["out"]]


def test_the_cases_are_there() -> None:
    assert len(_copies()) > 30
    assert len(_changelogs()) > 10
