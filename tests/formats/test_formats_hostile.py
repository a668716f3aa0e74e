"""Messages made to stall or kill a worker end as rejects, and soon."""

from __future__ import annotations

import time

import pytest
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Reason, Reject

#: How a value of column `a` stands in a message of each format.
_MESSAGES = {
    "json": b'{"a":%b}',
    "debezium-json": b'{"before":null,"after":{"a":%b},"op":"c"}',
    "ogg-json": b'{"after":{"a":%b},"op_type":"I"}',
    "canal-json": b'{"data":[{"a":%b}],"type":"INSERT"}',
    "maxwell-json": b'{"data":{"a":%b},"type":"insert"}',
    "csv": b"%b",
}
_TYPES = ("INT", "BIGINT", "DOUBLE", "FLOAT", "DECIMAL(38, 2)", "BYTES", "DATE", "TIMESTAMP(3)", "TIME(3)")


def _rejects(name: str, columns: str, message: bytes, seconds: float = 20) -> tuple[Reject, ...]:
    """The bound is generous, for a machine that is busy with other things; what it guards against takes minutes."""
    bound = bind(parse_columns(columns), name)
    start = time.process_time()
    decoded = make_decoder(bound, bound.columns).decode([message, None])
    assert time.process_time() - start < seconds
    assert bool(decoded.batch.num_rows) != bool(decoded.rejects)
    return decoded.rejects


@pytest.mark.parametrize("name", _MESSAGES)
def test_a_number_of_fifty_megabytes(name: str) -> None:
    (reject,) = _rejects(name, "a DOUBLE", _MESSAGES[name] % (b"1" * 50_000_000))
    assert reject.reason is Reason.TOO_LARGE
    assert len(reject.detail) < 200


@pytest.mark.parametrize("kind", _TYPES)
@pytest.mark.parametrize("name", ["json", "debezium-json", "canal-json", "csv"])
@pytest.mark.parametrize(
    "body",
    [b"1" * 300_000 + b"x", b" " * 300_000 + b"x", b"A" * 300_000 + b"!", b"0x" + b"f" * 300_000 + b"!"],
    ids=["digits", "blanks", "letters", "hex"],
)
def test_a_long_text_that_fails_at_its_end(name: str, kind: str, body: bytes) -> None:
    (reject,) = _rejects(name, f"a {kind}", _MESSAGES[name] % (body if name == "csv" else b'"%b"' % body))
    assert reject.column == "a"
    assert len(reject.detail) < 200


@pytest.mark.parametrize("kind", ["STRING", "ARRAY<INT>", "INT"])
@pytest.mark.parametrize("name", [name for name in _MESSAGES if name != "csv"])
def test_ten_thousand_nested_arrays(name: str, kind: str) -> None:
    arrays, objects = b"[" * 10_000 + b"]" * 10_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    for deep in (arrays, objects, _MESSAGES[name] % arrays, b'{"unread":%b}' % objects, b"[" * 100_000):
        (reject,) = _rejects(name, f"a {kind}", deep)
        assert reject.reason is Reason.TOO_LARGE


def test_numbers_nobody_reads_are_limited_too() -> None:
    for name in ("json", "debezium-json"):
        (reject,) = _rejects(name, "a INT", b'{"unread":%b}' % (b"1" * 1001))
        assert reject.reason is Reason.TOO_LARGE
    bound = bind(parse_columns("a INT"), "json")
    assert not make_decoder(bound, ["a"]).decode([b'{"unread":%b}' % (b"1" * 1000)]).rejects


@pytest.mark.parametrize("number", [b"1e999999999", b"1e-999999999", b"-0.0e99999999999", b"1E2147483648"])
@pytest.mark.parametrize("kind", ["INT", "BIGINT", "DOUBLE", "DECIMAL(38, 2)", "STRING", "TINYINT"])
@pytest.mark.parametrize("name", _MESSAGES)
def test_a_huge_exponent_takes_no_time(name: str, kind: str, number: bytes) -> None:
    bound = bind(parse_columns(f"a {kind}, d DECIMAL(5, 2)") if name != "csv" else parse_columns(f"a {kind}"), name)
    start = time.process_time()
    make_decoder(bound, ["a"]).decode([_MESSAGES[name] % number])
    assert time.process_time() - start < 5


def test_avro_that_promises_more_than_it_has() -> None:
    huge = b"\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"
    for columns in ("a STRING NOT NULL", "a BYTES NOT NULL", "a DECIMAL(10, 2) NOT NULL", "a ARRAY<INT> NOT NULL"):
        assert len(_rejects("avro", columns, huge + b"\0" * 50)) == 1
    assert len(_rejects("avro", "a MAP<STRING, INT> NOT NULL", huge)) == 1
    # Twenty-five megabytes of one number.
    assert len(_rejects("avro", "a DECIMAL(38, 2) NOT NULL", b"\x80\xe1\xeb\x17" + b"\x7f" * 25_000_000 + b"x")) == 1
    assert len(_rejects("avro", "a BIGINT NOT NULL", b"\xff" * 1_000_000)) == 1


def test_raw_of_the_wrong_size() -> None:
    (reject,) = [reject for reject in _raw(b"1" * 50_000_000) if not reject.kept]
    assert reject.reason is Reason.BAD_VALUE


def _raw(message: bytes) -> tuple[Reject, ...]:
    bound = bind(parse_columns("a BIGINT"), "raw")
    return make_decoder(bound, bound.columns).decode([message]).rejects
