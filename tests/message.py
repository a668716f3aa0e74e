r"""The messages of one topic in a file that a person can read and compare.

A `.jsonl` or `.csv` file has one message on each line, and the line is its value to the letter. A `.txt` file says more:
its first line names what each message has, and then each line is one message:

    partition | timestamp | key | value
    0 | 1577836800123 | {"id":1} | {"id":1,"name":"a"}
    1 | \N | {"id":2} | \N

A field stands as it is, unless it begins with a backslash: `\N` is null (so a tombstone, behind `value`), `\x0a0b` is
bytes, and `\"a\nb"` is a text in JSON's spelling, for texts that would not be seen otherwise. Nothing else is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLUMNS = ("partition", "timestamp", "headers", "key", "value", "key_decoded", "value_decoded")

_BETWEEN = " | "
_NULL = r"\N"
#: Of more control characters than this share of it, no text is made.
_MOST_CONTROLS = 1 / 8


@dataclass(frozen=True)
class Message:
    """The decoded forms say what binary bytes mean; they are for readers."""

    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    timestamp: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] | None = None
    key_decoded: Any = None
    value_decoded: Any = None


def read_messages(path: Path) -> tuple[Message, ...]:
    lines = path.read_bytes().decode().split("\n")
    assert lines.pop() == "", f"{path} does not end with a line break"
    if path.suffix != ".txt":
        return tuple(Message(line.encode()) for line in lines)
    head = lines[0].split(_BETWEEN)
    assert set(head) <= set(COLUMNS), f"{path} has the columns {head}; known are {COLUMNS}"
    return tuple(_message(dict(zip(head, line.split(_BETWEEN), strict=True))) for line in lines[1:])


def _message(fields: dict[str, str]) -> Message:
    found = {name: None if text == _NULL else text for name, text in fields.items()}

    def number(name: str) -> int | None:
        return int(text) if (text := found.get(name)) is not None else None

    def decoded(name: str) -> Any:
        return json.loads(text) if (text := found.get(name)) is not None else None

    headers = decoded("headers")
    return Message(
        _bytes(found.get("value")),
        _bytes(found.get("key")),
        number("partition"),
        number("timestamp"),
        headers and tuple((name, _header_bytes(value)) for name, value in headers),
        decoded("key_decoded"),
        decoded("value_decoded"),
    )


def _bytes(text: str | None) -> bytes | None:
    if text is None:
        return None
    if text.startswith(r"\x"):
        return bytes.fromhex(text[2:])
    if text.startswith(r"\""):
        return str(json.loads(text[1:])).encode()
    assert not text.startswith("\\"), f"'{text}' begins with a backslash and is neither \\N, \\x… nor \\\"…\""
    return text.encode()


def _header_bytes(value: Any) -> bytes | None:
    if value is None:
        return None
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else str(value).encode()


def write_messages(folder: Path, topic: str, messages: Iterable[Message]) -> None:
    """Write the file of a topic: the plain form where every message is one line of JSON and has nothing but its value."""
    messages = list(messages)
    if all(message == Message(message.value) and _is_plain(message.value) for message in messages):
        name, lines = f"{topic}.jsonl", [(message.value or b"").decode() for message in messages]
    else:
        had = [name for name in COLUMNS if any(getattr(message, name) is not None for message in messages)]
        columns = [name for name in COLUMNS if name in had or name == "value"]
        name = f"{topic}.txt"
        lines = [_BETWEEN.join(columns)]
        lines += [_BETWEEN.join(_text(message, column) for column in columns) for message in messages]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes("".join(f"{line}\n" for line in lines).encode())


def _is_plain(value: bytes | None) -> bool:
    return value is not None and value[:1] in (b"{", b"[") and _shown(value) == value.decode(errors="replace")


def _text(message: Message, column: str) -> str:
    match column, getattr(message, column):
        case _, None:
            return _NULL
        case _, bytes(value):
            return _shown(value)
        case "headers", headers:
            return _json([[name, _shown_header(value)] for name, value in headers])
        case _, value:
            return _json(value)


def _shown(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return rf"\x{value.hex()}"
    if text and text.isprintable() and text == text.strip() and text[0] != "\\" and _BETWEEN not in f" {text} ":
        return text
    controls = sum(ord(character) < 32 and character not in "\t\r\n" for character in text)
    if controls > len(text) * _MOST_CONTROLS:
        return rf"\x{value.hex()}"
    return "\\" + json.dumps(text).replace(_BETWEEN, r" \u007c ")


def _shown_header(value: bytes | None) -> Any:
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"hex": value.hex()}


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() and _BETWEEN not in text else json.dumps(value).replace(_BETWEEN, r" \u007c ")
