"""The pass-through as a quixstreams user writes it. Runs in its own environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    from quixstreams import Application  # type: ignore[import-not-found]

    order = json.loads(Path(sys.argv[1]).read_text())
    for number, sink in enumerate(order["sinks"]):
        print(f"begin {number}", flush=True)
        app = Application(
            broker_address=order["bootstrap"],
            consumer_group=f"quix-{sink}",
            auto_offset_reset="earliest",
            commit_interval=10,
            loglevel=None,
            state_dir=f"{order['folder']}/quix-{number}",
        )
        rows = app.dataframe(app.topic(order["source"], value_deserializer="json"))
        rows = rows[rows["page_id"] <= 2500]
        rows = rows[["user_id", "user_region", "viewtime"]]
        rows.to_topic(app.topic(sink, value_serializer="json"))
        app.run(count=order["rows"])
        print(f"end {number}", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
