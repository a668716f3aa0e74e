"""`firesteel warm`: keep Spark's classes in an archive, so that every later start is shorter."""

from __future__ import annotations

import argparse
import time

from firesteel.cli.command import Subparsers, add_command


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(
        subparsers,
        "warm",
        "make later starts shorter: keep Spark's classes ready",
        "Keep Spark's classes in an archive that the JVM takes them from, so that jobs start in about half the time.\n"
        "Once for each Java and each version of Spark; takes half a minute and 180 MB in the cache folder.",
    )
    parser.add_argument("--if-missing", action="store_true", help="do nothing when the archive is there")


def run(args: argparse.Namespace) -> int:
    from firesteel.spark.start.class_archive import archive_path, find_command, make_archive

    if args.if_missing and archive_path().is_file() and find_command() is not None:
        return 0
    began = time.monotonic()
    path = make_archive()
    size = path.stat().st_size / 1024**2
    print(f"Spark's classes are ready: {path} ({size:.0f} MB, {time.monotonic() - began:.0f} s).")
    return 0
