"""Turns recorded cases from their JSON form into folders: `python -m tests.conformance.convert FILE.json…`.

A folder holds all that the file held: what was written is read again and compared. A case that is there already is replaced.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conformance.recorded import CASES
from tests.jobs.case import Case, read_case
from tests.message import Message, write_messages

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def case_of(body: Mapping[str, Any]) -> Case:
    """The case that a JSON file holds."""
    said = dict(body)
    name, sql, schemas = said.pop("name"), said.pop("sql"), said.pop("avro", {})
    given = said.pop("input", None) or {}
    expect = dict(said.pop("expect"))
    said |= {word: expect.pop(word) for word in ("compare", "error") if word in expect}
    said["partitions"] = {topic: _partitions(**(spec or {})) for topic, spec in said.pop("topics").items()}
    return Case(
        name,
        sql,
        ({topic: _given(records) for topic, records in given.items()},),
        {topic: tuple(map(_message, records)) for topic, records in expect.items()},
        said,
        schemas,
    )


def _partitions(partitions: int = 1) -> int:
    return partitions


def _given(records: list[Mapping[str, Any]]) -> tuple[Message, ...]:
    """The messages to write: what is said of none of them is partition 0."""
    everywhere = all(record.get("partition", 0) == 0 for record in records)
    return tuple(
        _message({name: value for name, value in record.items() if name != "partition" or not everywhere})
        for record in records
    )


def _message(record: Mapping[str, Any]) -> Message:
    fields = dict(record)
    headers = fields.pop("headers", None)
    return Message(
        value=_bytes(fields.pop("value")),
        key=_bytes(fields.pop("key", None)),
        headers=headers and tuple((name, _bytes(value)) for name, value in headers),
        **fields,
    )


def _bytes(value: Any) -> bytes | None:
    """A key or a value as JSON has it: text, null, or base64."""
    if value is None:
        return None
    return base64.b64decode(value["b64"]) if isinstance(value, dict) else str(value).encode()


def write_case(case: Case, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "job.sql").write_bytes(f"{case.sql}\n".encode())
    for side, topics in (("input", case.input), ("expected", case.expected)):
        for topic, messages in topics.items():
            write_messages(folder / side, topic, messages)
    for topic, sides in case.schemas.items():
        for side, schema in sides.items():
            text = json.dumps(schema, indent=1, ensure_ascii=False)
            (folder / "expected" / f"{topic}.{side}.avsc").write_text(f"{text}\n", encoding="utf-8")
    (folder / "recorded.toml").write_text(_toml(case.said), encoding="utf-8")


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """The text of a table: its values first, then the tables in it."""
    text = "".join(f"{_key(name)} = {_value(value)}\n" for name, value in table.items() if not isinstance(value, dict))
    for name, value in table.items():
        if isinstance(value, dict):
            inner = (*path, name)
            head = (
                ""
                if value and all(isinstance(one, dict) for one in value.values())
                else f"\n[{'.'.join(map(_key, inner))}]\n"
            )
            text += head + _toml(value, inner)
    return text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _value(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if value.isprintable() and '"' in value and "'" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def convert(path: Path, into: Path = CASES) -> Path:
    """Write the folder of a case and give it."""
    case = case_of(json.loads(path.read_text(encoding="utf-8")))
    folder = into / case.name
    shutil.rmtree(folder, ignore_errors=True)
    write_case(case, folder)
    assert read_case(folder) == case, f"{folder} does not hold what {path} held"
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.convert", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.json")
    parser.add_argument("--into", type=Path, default=CASES, metavar="FOLDER", help="where the folders go")
    arguments = parser.parse_args()
    for path in arguments.files:
        print(convert(path, arguments.into))


if __name__ == "__main__":
    main()
