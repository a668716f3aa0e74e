"""`firesteel broker start|stop|status`: a real Kafka of one node for development, in the background."""

from __future__ import annotations

import argparse
import json
import sys

from firesteel.cli.command import Subparsers, add_command
from firesteel.dev.broker.daemon import USUAL_PORT, Daemon, find_daemon, start_daemon, stop_daemon
from firesteel.dev.broker.download import shown_download
from firesteel.dev.broker.jars import KAFKA_VERSION

_DESCRIPTION = f"""\
Apache Kafka {KAFKA_VERSION} on this machine, for development: one node, reachable from here only, no passwords.
The first start fetches it (about a minute). Topics have to be created: 'firesteel topic create NAME'."""


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "broker", "start, stop or look at the development broker", _DESCRIPTION)
    actions = parser.add_subparsers(dest="action", required=True, metavar="start|stop|status")
    start = add_command(actions, "start", "start the broker in the background")
    start.add_argument("--port", type=_port, help=f"default: {USUAL_PORT}, or a free one when that is taken")
    start.add_argument("--fresh", action="store_true", help="throw away the topics of earlier days first")
    start.add_argument("--heap", default="512m", type=_heap, help="the memory that Java may use (default: %(default)s)")
    add_command(actions, "stop", "stop the broker; its topics are kept")
    status = add_command(
        actions, "status", "tell where the broker is and since when; exit status 3 when it does not run"
    )
    status.add_argument("--json", action="store_true", help="as JSON, for programs")


def run(args: argparse.Namespace) -> int:
    match args.action:
        case "start":
            return _start(args)
        case "stop":
            return _stop()
        case _:
            return _status(args)


def _start(args: argparse.Namespace) -> int:
    running = find_daemon()
    if running is not None:
        print(f"The broker already runs at {running.bootstrap} (pid {running.pid}).")
        return 0
    with shown_download() as watcher:
        daemon = start_daemon(watcher, port=args.port, fresh=args.fresh, heap=args.heap)
    if args.port is None and daemon.port != USUAL_PORT:
        print(f"Port {USUAL_PORT} is taken, so the broker has another.", file=sys.stderr)
    print(f"Kafka {daemon.version} runs at {daemon.bootstrap} (pid {daemon.pid}).")
    return 0


def _stop() -> int:
    daemon = stop_daemon()
    print(f"The broker at {daemon.bootstrap} is stopped." if daemon else "No broker is running.")
    return 0


def _status(args: argparse.Namespace) -> int:
    daemon = find_daemon()
    if args.json:
        print(json.dumps(_facts(daemon) if daemon else {"running": False}))
    elif daemon:
        print(render_status(daemon))
    else:
        print("No broker is running. 'firesteel broker start' starts one.")
    return 0 if daemon else 3


def _facts(daemon: Daemon) -> dict[str, object]:
    return {
        "running": True,
        "bootstrap": daemon.bootstrap,
        "pid": daemon.pid,
        "version": daemon.version,
        "uptime_seconds": round(daemon.uptime, 1),
        "data": str(daemon.data),
        "log": str(daemon.log),
    }


def render_status(daemon: Daemon) -> str:
    return "\n".join(
        (
            f"address  {daemon.bootstrap}",
            f"version  Kafka {daemon.version}",
            f"pid      {daemon.pid}",
            f"uptime   {render_uptime(daemon.uptime)}",
            f"data     {daemon.data}",
            f"log      {daemon.log}",
        )
    )


def render_uptime(seconds: float) -> str:
    """Prints a length of time.

    >>> render_uptime(42), render_uptime(7503), render_uptime(200_000)
    ('42 s', '2 h 5 min', '2 d 7 h')
    """
    for size, unit, smaller, lesser in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} {int(seconds % size // smaller)} {lesser}"
    return f"{int(seconds)} s"


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port between 1 and 65535")
    return int(text)


def _heap(text: str) -> str:
    if not text[:-1].isdecimal() or text[-1] not in "kKmMgG":
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 512m or 2g")
    return text
