"""Damaged records on the whole way that they take beside good rows, in this process: decoder, reject, dead letter, every text.

`python -m tests.fuzz.records --rounds 20000 --format all`

Nothing may raise but what is declared, every text can be written as UTF-8, both paths of a decoder agree, and each record is a row,
a reject or empty.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import pyarrow.compute as pc
from confluent_kafka import Message
from tests.formats.formats_registry import Registry
from tests.fuzz.mutation import Table, mutate, tables

from firesteel.connectors.kafka.write.bad_record import DeadLetters, Stage, write_letters
from firesteel.connectors.kafka.write.writer import Writer
from firesteel.connectors.staged_range import StagedRange, staged_ranges
from firesteel.errors import FiresteelError
from firesteel.formats.builtin import make_decoder
from firesteel.formats.codec import Decoded, Reject
from firesteel.observe.progress import Progress, SourceProgress, apply
from firesteel.observe.snapshot import JobSnapshot
from firesteel.spark.connector.kafka.read_spec import Decoding
from firesteel.spark.connector.kafka.record_decoder import RecordDecoder
from firesteel.spark.connector.kafka.stream_reader import bad_record, place_of
from firesteel.spark.failure import carry, explain_failure
from firesteel.spark.source.reject import parse_place, refused, render_reject
from firesteel.spark.source.tally import Tally, take_tally
from firesteel.storage.folder import Folder
from firesteel.storage.local import LocalFolder
from firesteel.ui.text import render_json, render_line, render_summary

_BLOCK = 50
_CHANGELOGS = ("debezium-json", "canal-json", "maxwell-json", "ogg-json")


class Broken(AssertionError):
    pass


class _Letters:
    """Stands in for a writer: what it is given must be what Kafka's client takes."""

    def __init__(self) -> None:
        self.written = 0

    def write(self, topic: str, key: bytes | None, value: bytes | None, *, headers: Any, timestamp: int) -> None:
        for name, text in headers:
            name.encode()
            if name.startswith("__error."):
                text.decode()
        self.written += 1


def run_table(table: Table, rounds: int, chance: random.Random, folder: Folder) -> Counter[str]:
    """Counts of rows, rejects, empties and changed values. Raises Broken, with the records that did it."""
    records = table.records()
    bound = table.bind()
    counts: Counter[str] = Counter()
    snapshot = JobSnapshot("fuzz", started=1.0)
    fields = bound.fields
    for number in range(0, rounds, _BLOCK):
        values = [mutate(chance, records) for _ in range(min(_BLOCK, rounds - number))]
        messages = [
            Message(topic="in", partition=0, offset=number + place, key=b"k", value=value, timestamp=(1, 1000 + place))
            for place, value in enumerate(values)
        ]
        try:
            decoder = RecordDecoder(Decoding(bound, None, fields, {}, table.name in _CHANGELOGS))
            batch, found, empty = decoder.decode(messages)
            batch.validate(full=True)
            _check_agreement(table, values)
            rejects = refused(found)
            told = _told(rejects, messages)
            staged = StagedRange(0, number, "in", 0, number, number + len(values))
            _check_letters(staged, messages, found, rejects, folder)
            tally = Tally()
            tally.add(found, empty)
            tally.write(folder, staged)
            if take_tally(folder, 0, number) != tally:
                raise Broken("the tally is not what was written")
            _check_total(table, values, rejects, empty)
        except Exception as error:
            raise Broken(
                f"{table.name} {dict(table.options)}: {error!r}\n{''.join(traceback.format_exception(error))}\n{values}"
            ) from error
        reasons = Counter(reject.reason.value for reject in rejects)
        progress = Progress(
            "q",
            number,
            1,
            2.0 + number,
            {"src": SourceProgress(batch.num_rows, 0)},
            rejects={("src", reason): count for reason, count in reasons.items()},
            places={"src": told[0]} if told else {},
            changed={("src", column): count for column, count in tally.changed.items()},
            empty={"src": empty},
        )
        snapshot = apply(snapshot, progress)
        for text in (render_line(snapshot), render_summary(snapshot), render_json(snapshot)):
            _check_printable(text)
        counts += Counter(rows=batch.num_rows, rejects=len(rejects), empty=empty, changed=sum(tally.changed.values()))
    counts["records"] = rounds
    [source] = snapshot.sources
    if (source.rows, snapshot.rejects, source.empty) != (counts["rows"], counts["rejects"], counts["empty"]):
        raise Broken(f"{table.name}: the snapshot counts otherwise: {source}, {counts}")
    return counts


def _check_agreement(table: Table, values: Sequence[bytes | None]) -> None:
    bound = table.bind()
    decoder = make_decoder(bound, bound.columns)
    if hasattr(decoder, "decode_exactly"):
        fast, exact = decoder.decode(values), cast(Decoded, decoder.decode_exactly(values))
        if fast.rejects != exact.rejects or fast.batch.num_rows != exact.batch.num_rows:
            raise Broken("the two paths differ")


def _told(rejects: list[Reject], messages: list[Message]) -> list[str]:
    """Every sentence that a reject is told in."""
    places = []
    for reject in rejects:
        message = messages[reject.index]
        line = render_reject(reject, message.offset() or 0, place_of(message))
        line.encode()
        places.append(parse_place(line))
        error: FiresteelError = bad_record("src", reject, messages)
        _check_printable(str(error))
        again = explain_failure(f"PythonException: {carry(error)}")
        if str(again) != str(error):
            raise Broken(f"the error came back as {again}")
    return places


def _check_printable(text: str) -> None:
    """Nothing in it moves a terminal's cursor, and nothing but our own line breaks ends a line."""
    text.encode()
    wrong = [character for character in text if character != "\n" and unicodedata.category(character) in _UNPRINTABLE]
    if wrong:
        raise Broken(f"{wrong[:5]!r} would reach a terminal in {text!r}")


#: Control and format characters, halves of pairs, and separators of lines and paragraphs.
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")


def _check_letters(
    staged: StagedRange, messages: list[Message], found: list[Reject], rejects: list[Reject], folder: Folder
) -> None:
    stage = Stage(folder, staged)
    stage.add(messages, found)
    stage.close()
    letters = _Letters()
    files = staged_ranges(folder, {0: staged.sequence})
    write_letters(cast(Writer, letters), DeadLetters(0, "src", "job", "dead", {}), folder, files)
    if letters.written != len(rejects):
        raise Broken(f"{letters.written} letters of {len(rejects)} rejects")


def _check_total(table: Table, values: Sequence[bytes | None], rejects: list[Reject], empty: int) -> None:
    bound = table.bind()
    decoded = make_decoder(bound, bound.columns).decode(values)
    with_rows = len(values) if decoded.origin is None else pc.count_distinct(decoded.origin).as_py()
    if with_rows + len(rejects) + empty != len(values):
        raise Broken(f"{with_rows} with rows, {len(rejects)} rejects and {empty} empty of {len(values)}")


def run(names: Sequence[str], rounds: int, seed: int) -> dict[str, Counter[str]]:
    results: dict[str, Counter[str]] = {}
    with Registry() as registry, tempfile.TemporaryDirectory() as folder:
        for name, found in tables(registry).items():
            if name not in names and "all" not in names:
                continue
            total: Counter[str] = Counter()
            for place, table in enumerate(found):
                chance = random.Random(f"{seed}-{name}-{place}")
                share = rounds // len(found) + (place < rounds % len(found))
                total += run_table(table, share, chance, LocalFolder(folder).child(f"{name}-{place}"))
            results[name] = total
    return results


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20_000, help="records of each format")
    parser.add_argument("--format", action="append", help="a format's name, or all")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}, {given.rounds:,} records of each format")
    status = 0
    for name in given.format or ["all"]:
        try:
            for found, counts in run([name], given.rounds, given.seed).items():
                told = ", ".join(
                    f"{counts[what]:,} {what}" for what in ("records", "rows", "rejects", "empty", "changed")
                )
                print(f"{found:<16} {told}", flush=True)
        except Broken as error:
            print(f"BROKEN {error}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
