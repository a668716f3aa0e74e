"""Good records of every format, and what becomes of them when they are damaged at random."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
from tests.formats.formats_registry import Registry
from tests.formats.formats_tables import bind, parse_columns

from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import make_decoder, make_encoder

_SIMPLE = "id BIGINT, n INT, x DOUBLE, f FLOAT, price DECIMAL(8, 2), ok BOOLEAN, name STRING, b BYTES, d DATE, t TIME(3), ts TIMESTAMP(3)"
_NESTED = f"{_SIMPLE}, arr ARRAY<INT>, r ROW<p INT, q STRING>, m MAP<STRING, INT>"
_CSV = f"{_SIMPLE}, arr ARRAY<INT>, r ROW<p INT, q STRING>"

#: What a piece of a record is replaced by.
_NOISE = [
    *(rb"\ud800", rb"\udc00", rb"\u0000", rb"\u001b[2J", rb"\\", rb"\x"),
    *(
        b"\x1b]0;owned\x07",
        b"\xc2\x9b",
        "\u202e".encode(),
        b"\xff",
        b"\xed\xa0\x80",
        b"\xf0\x9f",
        b"\0",
        b"\r\n",
        b"\n",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b",",
        b":",
        b";",
        b"null",
        b"true",
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"1E-400",
        b"-0",
    ),
    *(b"9" * 40, b"1" * 1200, b"0x1p3", b"4.7", b"'", b"#", b" ", b"\xef\xbb\xbf", b"2020-02-30", b"24:00:00", b"AQI"),
    *(b"[" * 1500, b'{"a":' * 1200, b"a" * 5000, "é😀".encode(), b"\x80" * 12, b"\x7f\xff\xff\xff\xff"),
]
_IN_TEXT = [
    rb"\ud800",
    rb"\udfff",
    rb"\u001b[31m",
    rb"\u0000",
    "😀".encode(),
    "\u202e".encode(),
    b"\x1b",
    rb"\n",
    b"%s{0}",
]
_LITERALS = [b'"', b"1", b"{", b"}", b"true", b"null", b":", b",", b"id", b"after", b"op", b"type", b"-", b"."]


@dataclass(frozen=True)
class Table:
    """A table's columns and its format's options, and good records of it."""

    name: str
    columns: str
    options: Mapping[str, str] = field(default_factory=dict)
    #: Read in whatever way: what the format's reader gives for the records, bound to these columns.
    made: Mapping[str, str] = field(default_factory=dict)

    def bind(self) -> BoundFormat:
        return bind(parse_columns(self.columns), self.name, self.options)

    def records(self) -> list[bytes]:
        rows = [json.dumps(row, ensure_ascii=False).encode() for row in _ROWS]
        if self.name == "raw":
            return [*rows, b"12345678", b"1"]
        bound = self.bind()
        batch = make_decoder(bind(parse_columns(self.columns), "json"), bound.columns).decode(rows).batch
        written = make_encoder(self._writing()).encode(batch, pa.array([0, 0, 0, 3][: batch.num_rows], pa.int8()))
        found = [record for record in written if record]
        if self.name in _UPDATES:
            found += [_UPDATES[self.name] % (rows[0], rows[1])]
        if self.name == "json":
            found += rows
        return found

    def _writing(self) -> BoundFormat:
        kept = {key: text for key, text in self.options.items() if key in ("url", "encoding")} | dict(self.made)
        return bind(parse_columns(self.columns), self.name, kept)


_ROWS: list[dict[str, object]] = [
    {
        "id": number,
        "n": -number,
        "x": number / 3,
        "f": 0.5,
        "price": f"{number}.25",
        "ok": bool(number % 2),
        "name": name,
        "b": "AQID",
        "d": "2020-02-29",
        "t": "12:34:56",
        "ts": "2020-02-29 12:34:56.789",
        "arr": [1, 2, number],
        "r": {"p": number, "q": name},
        "m": {"k": number, name: 2},
    }
    for number, name in ((1, "a"), (2, "é"), (300, 'a,b;c"d'), (70_000, "😀 text"))
]
_UPDATES = {
    "debezium-json": b'{"before":%b,"after":%b,"op":"u"}',
    "canal-json": b'{"data":[%b],"old":[%b],"type":"UPDATE"}',
    "maxwell-json": b'{"data":%b,"old":%b,"type":"update"}',
    "ogg-json": b'{"before":%b,"after":%b,"op_type":"U"}',
}

_IGNORE = {"ignore-parse-errors": "true"}


def tables(registry: Registry) -> dict[str, list[Table]]:
    """For each format its tables; the first is the one that jobs read."""
    changelogs = {name: [Table(name, _NESTED), Table(name, _NESTED, _IGNORE)] for name in _UPDATES}
    return {
        "json": [
            Table("json", _NESTED),
            Table("json", _SIMPLE),
            Table("json", _NESTED, _IGNORE),
            Table("json", _NESTED, {"decode.json-parser.enabled": "false"}),
            Table("json", _NESTED, {"decode.json-parser.enabled": "false"} | _IGNORE),
            Table("json", "id BIGINT, name STRING", {"fail-on-missing-field": "true"}),
        ],
        **changelogs,
        "csv": [
            Table("csv", _CSV),
            Table("csv", _CSV, _IGNORE),
            Table(
                "csv",
                "id BIGINT, name STRING",
                {"allow-comments": "true", "escape-character": "\\", "null-literal": "n"},
            ),
        ],
        "avro": [
            Table("avro", _NESTED),
            Table("avro", "id BIGINT NOT NULL, name STRING NOT NULL"),
            Table("avro", _NESTED, {"encoding": "json"}),
        ],
        "avro-confluent": [
            Table("avro-confluent", _NESTED, {"url": registry.url}, {"subject": "s"}),
            Table("avro-confluent", "id BIGINT, name STRING", {"url": registry.url}, {"subject": "s"}),
        ],
        "raw": [
            Table("raw", "name STRING"),
            Table("raw", "id BIGINT"),
            Table("raw", "name STRING", {"charset": "utf-16"}),
            Table("raw", "name STRING", {"charset": "utf-7"}),
        ],
    }


def mutate(chance: random.Random, records: list[bytes]) -> bytes | None:
    """One of the records, damaged in one to four places; now and then left whole, cut, empty or null."""
    dice = chance.random()
    if dice < 0.01:
        return None
    if dice < 0.02:
        return b""
    record = chance.choice(records)
    if dice < 0.3:
        return record
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        record = _damaged(chance, record, records)
    return record


def _damaged(chance: random.Random, record: bytes, records: list[bytes]) -> bytes:
    place = chance.randint(0, len(record))
    match chance.randrange(9):
        case 0:
            return record[:place] + chance.choice(_NOISE) + record[place:]
        case 1:
            return record[:place] + chance.choice(_NOISE) + record[place + chance.randint(1, 8) :]
        case 2:
            return record[:place]
        case 3:
            return record[:place] + bytes([chance.randrange(256)]) + record[place + 1 :]
        case 4:
            other = chance.choice(records)
            return record[:place] + other[chance.randint(0, len(other)) :]
        case 5:
            return record[:place] + record[place + chance.randint(1, 20) :]
        case 6:
            # A value for another.
            word = chance.choice(_LITERALS)
            return record.replace(word, chance.choice(_NOISE), 1) if word in record else record + word
        case 7:
            # Into a text, which stays one: what a reason quotes.
            quotes = [at for at, byte in enumerate(record) if byte == 0x22] or [place]
            at = chance.choice(quotes) + 1
            return record[:at] + chance.choice(_IN_TEXT) + record[at:]
    return b"[" + record + b"," + chance.choice(_NOISE) + b"]"
