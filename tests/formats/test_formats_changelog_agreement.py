"""The fast path and the exact path of the changelog formats agree on rows, kinds, metadata and rejects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.formats_strategies import (
    NESTED,
    QUICK,
    TYPES,
    any_fields,
    assert_same,
    json_values,
    likely,
    mutated,
    proper,
)
from tests.formats.formats_tables import bind

from firesteel.formats.builtin import make_decoder
from firesteel.formats.cdc.decoder import ChangelogDecoder
from firesteel.types import Field

_Block = tuple[tuple[Field, ...], list[bytes | None]]
_KINDS = TYPES + NESTED
_METADATA = {
    "debezium-json": {"m1": "source.database", "m2": "source.timestamp", "m3": "ingestion-timestamp"},
    "ogg-json": {"m1": "table", "m2": "primary-keys"},
    "canal-json": {"m1": "table", "m2": "pk-names", "m3": "event-timestamp", "m4": "ingestion-timestamp"},
    "maxwell-json": {"m1": "database", "m2": "primary-key-columns", "m3": "ingestion-timestamp"},
}
_times = st.one_of(st.integers(0, 2**41), st.none(), st.sampled_from(["1", 1.5, "x", 2**63 - 1, True]))


@st.composite
def _row(draw: st.DrawFn, fields: tuple[Field, ...], clean: bool, texts: bool, missing: bool) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for field in fields:
        if missing and draw(st.booleans()):
            continue
        value = draw(proper(field) if clean else likely(field))
        row[field.name] = str(value) if texts and value is not None and not isinstance(value, (dict, list)) else value
    if draw(st.booleans()):
        row["other"] = draw(json_values)
    return row


class _Chooser:
    """Half of the blocks are clean, so that the fast path has something to take; the others hold a bit of everything."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.clean: bool = draw(st.booleans())

    def often(self, good: st.SearchStrategy[Any], bad: st.SearchStrategy[Any]) -> Any:
        return self.draw(good if self.clean else st.one_of(good, good, good, good, good, good, bad))

    def text(self, message: dict[str, Any]) -> bytes:
        for name in self.often(st.just([]), st.lists(st.sampled_from(list(message)), max_size=2)):
            message.pop(name, None)
        separators = (",", ":") if self.draw(st.booleans()) else (", ", ": ")
        text = json.dumps(message, ensure_ascii=self.draw(st.booleans()), separators=separators)
        broken = text.encode("utf-8", "replace")
        return broken if self.clean else self.draw(mutated(broken))


@st.composite
def _images(draw: st.DrawFn, operation: str, words: tuple[str, str, str], payload: bool) -> _Block:
    chooser = _Chooser(draw)
    often = chooser.often
    times = st.one_of(st.integers(0, 2**41), st.none()) if chooser.clean else _times
    fields = draw(any_fields(_KINDS))
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        word = often(st.sampled_from(words), st.sampled_from(["t", 1, None]))
        image = _row(fields, chooser.clean, texts=False, missing=False)
        message: dict[str, Any] = {
            "before": often(image if word != words[0] else st.one_of(st.none(), st.none(), image), json_values),
            "after": often(image if word != words[2] else st.one_of(st.none(), st.none(), image), json_values),
            "source": often(st.fixed_dictionaries({"db": st.just("d"), "ts_ms": times, "x": json_values}), json_values),
            operation: word,
            "ts_ms": draw(times),
            "table": often(st.just("t"), json_values),
            "primary_keys": often(st.just(["a"]), json_values),
        }
        messages.append(chooser.text({"schema": None, "payload": message} if payload else message))
    return fields, messages


@st.composite
def _data(draw: st.DrawFn, words: tuple[str, ...], many: bool) -> _Block:
    chooser = _Chooser(draw)
    often = chooser.often
    times = st.one_of(st.integers(0, 2**41), st.none()) if chooser.clean else _times
    fields = draw(any_fields(_KINDS))
    texts = many and draw(st.booleans())
    messages: list[bytes | None] = []
    for _ in range(draw(st.integers(1, 5))):
        word = often(st.sampled_from(words), st.sampled_from(["ALTER", 1, None]))
        count = draw(st.integers(0, 3)) if many else 1
        rows = [draw(_row(fields, chooser.clean, texts, missing=False)) for _ in range(count)]
        changed = often(st.just(count), st.integers(0, 2))
        old = [draw(_row(fields, chooser.clean, texts, missing=True)) for _ in range(changed)]
        data_value: Any = None if word == "CREATE" else rows if many else rows[0]
        old_value: Any = None if word != words[1] else old if many else old[0] if old else None
        message: dict[str, Any] = {
            "data": often(st.just(data_value), json_values),
            "database": often(st.sampled_from(["db1", "db2"]), json_values),
            "old": often(st.just(old_value), json_values),
            "pkNames": often(st.just(["c0"]), json_values),
            "primary_key_columns": often(st.just(["c0"]), json_values),
            "table": often(st.just("t"), json_values),
            "ts": draw(times),
            "es": draw(times),
            "type": word,
        }
        messages.append(chooser.text(message))
    return fields, messages


def _assert_paths_agree(name: str, block: _Block, options: dict[str, str]) -> None:
    fields, messages = block
    names = [field.name for field in fields]
    for count in {len(fields), 1, 0}:
        for metadata in ({}, _METADATA[name]):
            decoder = make_decoder(bind(fields, name, options), names[:count], metadata)
            assert isinstance(decoder, ChangelogDecoder)
            assert_same(decoder.decode(messages), decoder.decode_exactly(messages))


_IGNORE = {"ignore-parse-errors": "true"}
_EPOCHS = {"decode.time-precision-mode": "adaptive", "decode.decimal-handling-mode": "precise"}


@pytest.mark.parametrize("options", [{}, _IGNORE, {"schema-include": "true"}, _EPOCHS], ids=str)
def test_both_paths_of_debezium_json_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_images("op", ("c", "u", "d"), "schema-include" in options))
    def check(block: _Block) -> None:
        _assert_paths_agree("debezium-json", block, options)

    check()


@pytest.mark.parametrize("options", [{}, _IGNORE], ids=str)
def test_both_paths_of_ogg_json_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_images("op_type", ("I", "U", "D"), False))
    def check(block: _Block) -> None:
        _assert_paths_agree("ogg-json", block, options)

    check()


@pytest.mark.parametrize("options", [{}, _IGNORE, {"database.include": "db1", "table.include": "t.*"}], ids=str)
def test_both_paths_of_canal_json_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_data(("INSERT", "UPDATE", "DELETE", "CREATE"), True))
    def check(block: _Block) -> None:
        _assert_paths_agree("canal-json", block, options)

    check()


@pytest.mark.parametrize("options", [{}, _IGNORE], ids=str)
def test_both_paths_of_maxwell_json_agree(options: dict[str, str]) -> None:
    @QUICK
    @given(_data(("insert", "update", "delete"), False))
    def check(block: _Block) -> None:
        _assert_paths_agree("maxwell-json", block, options)

    check()
