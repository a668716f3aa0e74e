"""Stored state is checked: a flipped byte, a missing or exchanged piece, another version are named."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.state.durable import Memory, now

from firesteel.state.cache import Cache
from firesteel.state.damage import DamagedState, ForeignFormat
from firesteel.state.manifest import Manifest, read_manifest, write_manifest
from firesteel.state.piece import cut_pieces, join_pieces
from firesteel.state.state import State
from firesteel.state.store import Shape


def test_pieces_give_what_was_cut() -> None:
    content = bytes(range(256)) * 5
    for size in (1, 7, 256, 5000):
        pieces = cut_pieces("1-rows-x", content, size)
        assert join_pieces("1-rows-x", len(pieces), dict(pieces).get) == content
    assert join_pieces("1-rows-x", 1, dict(cut_pieces("1-rows-x", b"", 10)).get) == b""


def test_each_flipped_byte_of_a_piece_is_noticed_and_the_piece_is_named() -> None:
    pieces = dict(cut_pieces("1-rows-x", bytes(range(40)), 15))
    for name, piece in pieces.items():
        for at in range(len(piece)):
            for bit in range(8):
                damaged = bytearray(piece)
                damaged[at] ^= 1 << bit
                with pytest.raises(DamagedState, match=name):
                    join_pieces("1-rows-x", 3, {**pieces, name: bytes(damaged)}.get)
        for other in (piece[:-1], piece + b"\0", piece[:10], b""):
            with pytest.raises(DamagedState, match=name):
                join_pieces("1-rows-x", 3, {**pieces, name: other}.get)


def test_a_missing_and_an_exchanged_piece_are_named() -> None:
    pieces = dict(cut_pieces("1-rows-x", bytes(range(40)), 20))
    with pytest.raises(DamagedState, match=r"1-rows-x\.1' is missing"):
        join_pieces("1-rows-x", 2, {"1-rows-x.0": pieces["1-rows-x.0"]}.get)
    with pytest.raises(DamagedState, match=r"1-rows-x\.0"):
        join_pieces("1-rows-x", 2, {"1-rows-x.0": pieces["1-rows-x.1"], "1-rows-x.1": pieces["1-rows-x.0"]}.get)


def test_each_flipped_byte_of_a_manifest_is_noticed() -> None:
    data = write_manifest(Manifest(batches=3, own={"a": [1, "x"]}))
    assert read_manifest(data).own == {"a": [1, "x"]}
    for at in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[at] ^= 1 << bit
            with pytest.raises(DamagedState, match="manifest"):
                read_manifest(bytes(damaged))
    for length in range(len(data)):
        with pytest.raises(DamagedState):
            read_manifest(data[:length])


def test_another_version_is_not_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.state.manifest.FORMAT", 7)
    data = write_manifest(Manifest())
    monkeypatch.setattr("firesteel.state.manifest.FORMAT", 1)
    with pytest.raises(ForeignFormat, match="format 7"):
        read_manifest(data)


def test_a_damaged_segment_is_found_where_the_cache_was_lost(tmp_path: Path) -> None:
    durable = Memory()
    state = State(durable, Cache(tmp_path / "a"), now(1), Shape(piece_bytes=1000))
    keys = np.arange(500)
    state.table("rows").put(pa.table({"__k1": keys, "__k2": keys, "v": keys * 7}))
    state.commit()
    assert len(durable.blobs) > 3
    name = sorted(durable.blobs)[2]
    damaged = bytearray(durable.blobs[name])
    damaged[len(damaged) // 2] ^= 16
    durable.blobs[name] = bytes(damaged)
    with pytest.raises(DamagedState, match=name):
        State(durable, Cache(tmp_path / "b"), now(2)).table("rows").get(keys, keys)
    # the files of this machine still have it
    at, _ = State(durable, Cache(tmp_path / "a"), now(2)).table("rows").get(keys, keys)
    assert len(at) == 500


def test_a_damaged_file_of_the_cache_is_fetched_again(tmp_path: Path) -> None:
    durable, keys = Memory(), np.arange(50)
    state = State(durable, Cache(tmp_path), now(1))
    state.table("rows").put(pa.table({"__k1": keys, "__k2": keys, "v": keys * 7}))
    state.commit()
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for at in [*range(0, len(whole), 13), len(whole) - 1]:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        state = State(durable, Cache(tmp_path), now(2))
        found, rows = state.table("rows").get(keys, keys)
        assert len(found) == 50 and rows is not None and rows["v"].to_pylist() == (keys * 7).tolist()
        assert state.counts.fetched > 0
        assert file.read_bytes() == whole
    for size in (0, 5, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:size])
        assert len(State(durable, Cache(tmp_path), now(2)).table("rows").get(keys, keys)[0]) == 50


def test_what_another_attempt_is_writing_stays(tmp_path: Path) -> None:
    (tmp_path / "1-rows-x.77").write_bytes(b"begun")
    (tmp_path / "1-rows-x").write_bytes(b"left over")
    (tmp_path / "1-rows-y.78").write_bytes(b"abandoned")
    os.utime(tmp_path / "1-rows-y.78", (0, 0))
    State(Memory(), Cache(tmp_path), now(1))
    assert [file.name for file in tmp_path.iterdir()] == ["1-rows-x.77"]
