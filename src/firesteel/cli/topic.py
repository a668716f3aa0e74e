"""`firesteel topic list|create|delete|write|read`: look into topics, and fill them by hand."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from firesteel.cli.command import Subparsers, add_cluster, add_command, at_least_one, cluster, pairs
from firesteel.cli.topic_record import (
    Decode,
    View,
    avro_decoder,
    decode_hex,
    decode_json,
    decode_raw,
    render_json,
    render_record,
    table_decoders,
)
from firesteel.connectors.kafka.admin import (
    Topic,
    close_clients,
    create_topic,
    delete_topic,
    describe_topics,
    list_topics,
)
from firesteel.dev.record import Start, read_records, write_records
from firesteel.errors import UsageError

_FORMATS = ("raw", "json", "avro", "hex")

_READ = """\
Read a topic to its present end. Each line is: partition/offset, time (UTC), key → value.
A null value is shown as '∅ tombstone', with --json as null."""

_WRITE = """\
Write one record per line. With --key-separator the text before it is the key.
    echo 'eu:{"pv": 1}' | firesteel topic write counts --key-separator :"""


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "topic", "list, create, read, write or delete topics")
    actions = parser.add_subparsers(dest="action", required=True, metavar="list|create|delete|write|read")

    show = add_command(actions, "list", "list the topics; with names, their partitions too")
    show.add_argument("name", nargs="*", help="only these topics, partition by partition")
    show.add_argument("--internal", action="store_true", help="Kafka's own topics too")

    create = add_command(actions, "create", "create a topic")
    create.add_argument("name")
    create.add_argument("--partitions", type=at_least_one, default=1, metavar="N", help="default: %(default)s")
    create.add_argument(
        "--config", action="append", default=[], metavar="KEY=VALUE", help="for example cleanup.policy=compact"
    )
    create.add_argument("--if-missing", action="store_true", help="be content when the topic exists already")

    delete = add_command(actions, "delete", "delete a topic and all that is in it")
    delete.add_argument("name")

    write = add_command(actions, "write", "write one record per line of a file", _WRITE)
    write.add_argument("name")
    write.add_argument("file", nargs="?", default="-", help="default: standard input")
    write.add_argument("--key-separator", metavar="TEXT", help="the text between key and value")
    write.add_argument("--null-marker", metavar="TEXT", help="a key or value of just this text is written as null")

    read = add_command(actions, "read", "read a topic", _READ)
    read.add_argument("name")
    read.add_argument(
        "--from", dest="start", choices=[start.value for start in Start], help="latest waits for new records"
    )
    read.add_argument("--max", type=at_least_one, metavar="N", help="stop after so many records")
    read.add_argument("--follow", action="store_true", help="wait for new records; end with Ctrl-C")
    read.add_argument("--partition", type=int, metavar="N", help="only this partition")
    read.add_argument("--format", choices=_FORMATS, help="of the values (default: raw)")
    read.add_argument("--key-format", choices=_FORMATS, help="of the keys (default: raw)")
    read.add_argument("--schema", type=Path, metavar="FILE.avsc", help="the Avro schema of the values")
    read.add_argument("--key-schema", type=Path, metavar="FILE.avsc", help="the Avro schema of the keys")
    read.add_argument("--sql", type=Path, metavar="JOB.sql", help="with --table: the script that creates it")
    read.add_argument("--table", help="read keys and values in the formats of this table")
    read.add_argument("--headers", action="store_true", help="show headers too")
    read.add_argument("--json", action="store_true", help="a line of JSON per record, for programs")
    for action in (show, create, delete, write, read):
        add_cluster(action)


def run(args: argparse.Namespace) -> int:
    try:
        return _ACTIONS[args.action](args)
    finally:
        close_clients()


def _list(args: argparse.Namespace) -> int:
    if args.name:
        print(render_partitions(describe_topics(cluster(args), args.name)))
        return 0
    topics = list_topics(cluster(args), internal=args.internal)
    print(render_topics(topics) if topics else "There are no topics. 'firesteel topic create NAME' creates one.")
    return 0


def _create(args: argparse.Namespace) -> int:
    settings = pairs(args.config, "--config")
    new = create_topic(
        cluster(args), args.name, partitions=args.partitions, settings=settings, ignore_existing=args.if_missing
    )
    print(f"Topic '{args.name}' is created." if new else f"Topic '{args.name}' exists already.")
    return 0


def _delete(args: argparse.Namespace) -> int:
    delete_topic(cluster(args), args.name)
    print(f"Topic '{args.name}' is deleted.")
    return 0


def _write(args: argparse.Namespace) -> int:
    separator = args.key_separator.encode() if args.key_separator else None
    null = args.null_marker.encode() if args.null_marker is not None else None
    if args.file == "-":
        count = write_records(cluster(args), args.name, parse_lines(sys.stdin.buffer, separator, null))
    else:
        try:
            with Path(args.file).open("rb") as lines:
                count = write_records(cluster(args), args.name, parse_lines(lines, separator, null))
        except OSError as error:
            raise UsageError(f"'{args.file}' cannot be read: {error.strerror}.") from error
    print(f"{count} {'record' if count == 1 else 'records'} written to '{args.name}'.", file=sys.stderr)
    return 0


def parse_lines(
    lines: BinaryIO, separator: bytes | None = None, null: bytes | None = None
) -> Iterator[tuple[bytes | None, bytes | None]]:
    """Parses the lines of a file into keys and values."""
    for number, line in enumerate(lines, 1):
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        key: bytes | None = None
        value: bytes | None = text
        if separator:
            key, found, value = text.partition(separator)
            if not found:
                raise UsageError(
                    f"Line {number} has no '{separator.decode()}' between key and value.",
                    hint="The lines before it are written.",
                )
        yield (None if key == null else key), (None if value == null else value)


def _read(args: argparse.Namespace) -> int:
    start = Start(args.start or Start.EARLIEST.value)
    view = View(*_decoders(args), args.headers)
    render = render_json if args.json else render_record
    follow = args.follow or start is Start.LATEST
    config = cluster(args)
    for record in read_records(config, args.name, start=start, follow=follow, limit=args.max, partition=args.partition):
        print(render(record, view), flush=follow)
    return 0


def _decoders(args: argparse.Namespace) -> tuple[Decode, Decode]:
    if bool(args.table) != bool(args.sql):
        raise UsageError("'--table' and '--sql' need each other.", hint="Write --sql JOB.sql --table NAME.")
    if not args.table:
        return _decoder("key", args.key_format, args.key_schema), _decoder("value", args.format, args.schema)
    for option in ("format", "key_format", "schema", "key_schema"):
        if getattr(args, option):
            raise UsageError(f"'--{option.replace('_', '-')}' has no meaning with '--table', which knows its formats.")
    return table_decoders(args.sql, args.table)


def _decoder(part: str, name: str | None, schema: Path | None) -> Decode:
    option = "--schema" if part == "value" else "--key-schema"
    # A schema without a format implies 'avro'.
    match name or ("avro" if schema else "raw"):
        case "avro" if schema is None:
            raise UsageError(f"The avro {part} needs a schema.", hint=f"Name its file with {option} FILE.avsc.")
        case "avro" if schema is not None:
            return avro_decoder(schema)
        case other if schema is not None:
            raise UsageError(
                f"'{option}' has no meaning for the format '{other}'.", hint="Leave it out, or choose avro."
            )
        case "json":
            return decode_json
        case "hex":
            return decode_hex
        case _:
            return decode_raw


def render_topics(topics: tuple[Topic, ...]) -> str:
    rows = [("topic", "partitions", "records")]
    rows += [(topic.name, str(len(topic.partitions)), str(topic.records)) for topic in topics]
    return _render_columns(rows)


def render_partitions(topics: tuple[Topic, ...]) -> str:
    rows = [("topic", "partition", "first", "end")]
    rows += [(t.name, str(p.index), str(p.low), str(p.high)) for t in topics for p in t.partitions]
    return _render_columns(rows)


def _render_columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Aligns the first column to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    )


_ACTIONS = {"list": _list, "create": _create, "delete": _delete, "write": _write, "read": _read}
