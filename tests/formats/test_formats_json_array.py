"""Finding E3: where parse errors are ignored, the good elements of a message's array survive the bad ones."""

from __future__ import annotations

import pytest
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Decoded

_TREE = {"decode.json-parser.enabled": "false"}


def _decode(message: bytes, options: dict[str, str]) -> Decoded:
    bound = bind(parse_columns("a INT"), "json", {"ignore-parse-errors": "true"} | options)
    return make_decoder(bound, bound.columns).decode([message])


@pytest.mark.parametrize("options", [{}, _TREE], ids=["stream", "tree"])
@pytest.mark.parametrize(
    ("message", "rows", "dropped"),
    [
        (b'[{"a":1}, 7]', [1], 1),
        (b'[7, {"a":1}, null, "x", {"a":2}]', [1, 2], 2),
        (b'[{"a":1}, {"a":"x"}]', [1, None], 1),
        (b"[7, true]", [], 2),
        (b'[[1], {"a":3}]', [3], 1),
        (b"[]", [], 0),
    ],
)
def test_findings_e3_good_elements_survive(
    message: bytes, rows: list[int | None], dropped: int, options: dict[str, str]
) -> None:
    decoded = _decode(message, options)
    assert decoded.batch.column(0).to_pylist() == rows
    assert len(decoded.rejects) == dropped
    # A message that gave a row is no dead letter.
    assert all(reject.kept == bool(rows) for reject in decoded.rejects)


@pytest.mark.parametrize(
    ("message", "rows"),
    [
        (b'[{"a":1},{"a":2', [1]),
        (b'[{"a":1} x', [1]),
        (b'[{"a":1},{"a":2},', [1, 2]),
        (b"[", []),
        (b'{"a":1', []),
    ],
)
def test_findings_e3_of_an_array_that_breaks_off(message: bytes, rows: list[int]) -> None:
    """Only the reader of a stream has given the rows before it sees the break; a tree is whole or nothing."""
    decoded = _decode(message, {})
    assert decoded.batch.column(0).to_pylist() == rows
    assert decoded.rejects
    if message[:1] == b"[":
        assert _decode(message, _TREE).batch.num_rows == 0


def test_findings_e3_errors_that_count_refuse_the_message() -> None:
    bound = bind(parse_columns("a INT"), "json")
    decoded = make_decoder(bound, bound.columns).decode([b'[{"a":1}, 7]'])
    assert not decoded.batch.num_rows
    assert not decoded.rejects[0].kept
