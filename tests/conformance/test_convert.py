"""A recorded case keeps all it says when it becomes a folder, and messages stand in files as people can read them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.convert import case_of, convert
from tests.jobs.case import read_case
from tests.message import Message, read_messages, write_messages

BODY: dict[str, Any] = {
    "name": "made-01",
    "area": "kafka",
    "note": 'says "so" \x7f\nand so',
    "topics": {"in": {"partitions": 2}, "out": None, "empty": {"partitions": 1}},
    "input": {
        "in": [
            {"partition": 1, "key": None, "value": "a | b", "timestamp": 5, "headers": [["h", {"b64": "/w=="}]]},
            {"partition": 0, "key": "", "value": None},
        ]
    },
    "groups": {"g": {"in": {"0": 1}}},
    "sql": "SELECT '\\N';",
    "expect": {
        "out": [{"key": {"b64": base64.b64encode(b"\0\xff").decode()}, "value": "{}", "value_decoded": {"a": 1.5}}],
        "empty": [],
        "compare": "multiset",
    },
    "avro": {"out": {"value": {"type": "record", "fields": []}}},
    "recorded": {"flink": "2.3.0", "config": {"table.exec.sink": "false"}},
}


def test_a_folder_says_what_the_json_said(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(json.dumps(BODY), encoding="utf-8")
    folder = convert(path, tmp_path / "cases")
    case = read_case(folder)
    assert case == case_of(BODY)
    assert case.partitions == {"in": 2, "out": 1, "empty": 1}
    assert (case.said["note"], case.said["groups"], case.said["recorded"]) == tuple(
        BODY[word] for word in ("note", "groups", "recorded")
    )
    assert (folder / "input" / "in.txt").read_text(encoding="utf-8") == (
        "partition | timestamp | headers | key | value\n"
        '1 | 5 | [["h", {"hex": "ff"}]] | \\N | \\"a \\u007c b"\n'
        '0 | \\N | \\N | \\"" | \\N\n'
    )
    assert (folder / "expected" / "empty.jsonl").read_bytes() == b""


def test_a_recording_with_something_unknown_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "made.json"
    path.write_text(json.dumps(BODY | {"input": {"in": [{"value": "{}", "new": 1}]}}), encoding="utf-8")
    with pytest.raises(TypeError, match="new"):
        convert(path, tmp_path / "cases")


_BYTES = st.none() | st.binary(max_size=30) | st.text(max_size=30).map(str.encode) | st.just(b'{"a":1}')
_MESSAGES = st.builds(
    Message,
    _BYTES,
    _BYTES,
    st.none() | st.integers(0, 9),
    st.none() | st.integers(),
    st.none() | st.lists(st.tuples(st.text(max_size=9), _BYTES), min_size=1, max_size=3).map(tuple),
)


@given(st.lists(_MESSAGES, max_size=4) | st.lists(st.builds(Message, _BYTES), max_size=4))
def test_messages_that_are_written_are_read_again(messages: list[Message]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        write_messages(Path(folder), "t", messages)
        [path] = Path(folder).iterdir()
        assert read_messages(path) == tuple(messages)
