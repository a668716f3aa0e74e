"""Messages that are alike, and messages that only seem so."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import QUICK, assert_same, mutated
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.json.decoder import JsonDecoder
from firesteel.formats.json.fast import TableReader

FIELDS = parse_columns("id BIGINT, small INT, name STRING, at TIMESTAMP(3)")
SHAPES = (
    b'{"id":%b,"name":"%b","small":%b,"at":"%b"}',
    b'{ "other": "x" , "name" : "%b", "id": %b , "at":"%b","small":%b }',
    b'{"id": %b, "name": "%b", "n": 7, "small": %b, "at": "%b"}',
    '{"näme":"ü","id":%b,"name":"%b","small":%b,"at":"%b"}'.encode(),
)
NUMBERS = st.one_of(
    st.integers(0, 2**64).map(lambda number: b"%d" % number),
    st.integers(0, 99).map(lambda number: b"%d" % number),
    st.sampled_from(
        [b"0", b"00", b"01", b"-1", b"1.5", b"1e2", b"2147483647", b"2147483648", b"", b" 1", b"1 ", b"\x31:"]
    ),
)
TEXTS = st.one_of(
    st.text(alphabet="abcü漢 {}[],:", max_size=9).map(str.encode),
    st.sampled_from([b"", b"\\n", b'"', b"\x01", b"\xff", b'","id":3,"x":"', b"NaN", b"a" * 40]),
)
TIMES = st.sampled_from([b"2026-01-01 00:00:00.123", b"2026-01-01 00:00:00", b"2026-13-01 00:00:00", b""])


@st.composite
def _block(draw: st.DrawFn) -> list[bytes | None]:
    shape = draw(st.sampled_from(SHAPES))
    number_first = shape.find(b'"id"') < shape.find(b'"name"')
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 6))):
        id, small, name, at = draw(NUMBERS), draw(NUMBERS), draw(TEXTS), draw(TIMES)
        values = (id, name, small, at) if number_first else (name, id, at, small)
        message = shape % values
        messages.append(draw(mutated(message)) if draw(st.integers(0, 9)) == 0 else message)
    return messages


@QUICK
@given(
    st.lists(_block(), min_size=1, max_size=3),
    st.sampled_from(["id", "name", "id,name", "small,at", "id,small,name,at"]),
)
def test_as_the_exact_reader_reads_them(blocks: list[list[bytes | None]], columns: str) -> None:
    decoder = JsonDecoder(bind(FIELDS, "json", {}), columns.split(","))
    for block in blocks:
        assert_same(decoder.decode(block), decoder.decode_exactly(block))


def read_alike(messages: list[bytes], columns: str) -> list[dict[str, object]] | None:
    """What the reader of alike messages makes of them alone."""
    decoder = JsonDecoder(bind(FIELDS, "json", {}), columns.split(","))
    assert decoder._block is not None
    reader: TableReader = decoder._block._table
    assert reader._alike is not None
    lengths = [len(message) for message in messages]
    table = reader._alike.read(b"\n".join(messages), np.array(lengths))
    return None if table is None else table.to_pylist()


def test_columns_of_alike_messages() -> None:
    messages = [b'{"x": "?", "id": %d, "name": "%b"}' % (10**n, b"ab" * n) for n in range(16)]
    assert read_alike(messages, "name,id") == [{"name": "ab" * n, "id": 10**n} for n in range(16)]


@pytest.mark.parametrize(
    "second",
    [
        b'{"id": 2, "name": "b" }',
        b'{"name": "b", "id": 2}',
        b'{"id": 2, "nama": "b"}',
        b'{"id": "2", "name": b}',
        b'{"id": 02, "name": "b"}',
        b'{"id": -2, "name": "b"}',
        b'{"id": , "name": "b"}',
        b'{"id": 2:, "name": "b"}',
        b'{"id": 12345678901234567, "name": "b"}',
        b'{"id": 2, "name": "\\n"}',
        b'{"id": 2, "name": null}',
        b'{"id": 2, "name": "b", "name": "c"}',
    ],
)
def test_what_is_not_alike_is_left_to_arrow(second: bytes) -> None:
    first = b'{"id": 1, "name": "a"}'
    assert read_alike([first, first], "id,name") is not None
    for block in ([first, second], [first, second, first], [second, first]):
        assert read_alike(block, "id,name") is None


def test_quotes_that_one_message_has_too_many_and_another_too_few() -> None:
    assert read_alike([b'{"id": 1, "name": "a""}', b'{"id": 1, "name": "a}'], "id,name") is None


def test_a_shape_may_change_between_blocks() -> None:
    decoder = JsonDecoder(bind(FIELDS, "json", {}), ["id"])
    for shape in (b'{"id":%d}', b'{"id": %d}', b'{"a":"b","id":%d}'):
        decoded = decoder.decode([shape % number for number in range(50)])
        assert decoded.batch.column(0).to_pylist() == list(range(50))
