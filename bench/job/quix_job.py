"""Filter and projection as a user of Quix Streams writes them. Runs in its own environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    order = json.loads(Path(sys.argv[1]).read_text())
    for number, sink in enumerate(order["sinks"]):
        if number:
            sys.stdin.readline()
        print(f"begin {number}", flush=True)
        _run(order["bootstrap"], order["sources"][number], order["rows"][number], sink)
        print(f"end {number}", flush=True)
    os._exit(0)


def _run(bootstrap: str, source: str, rows: int, sink: str) -> None:
    from quixstreams import Application

    left = iter(range(rows - 1, -1, -1))

    def processed(topic: str, partition: int, offset: int) -> None:
        if next(left) == 0:
            application.stop()

    application = Application(
        broker_address=bootstrap,
        consumer_group=f"quix-{sink}",
        auto_offset_reset="earliest",
        auto_create_topics=False,
        loglevel="ERROR",
        on_message_processed=processed,
    )
    views = application.dataframe(application.topic(source, value_deserializer="json"))
    kept = views.filter(lambda view: view["page_id"] <= 2500).apply(_kept)
    kept.to_topic(application.topic(sink, value_serializer="json"))
    application.run()


def _kept(view: dict[str, Any]) -> dict[str, Any]:
    return {name: view[name] for name in ("user_id", "user_region", "viewtime")}


if __name__ == "__main__":
    main()
