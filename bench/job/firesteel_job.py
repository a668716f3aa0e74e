"""Runs scripts one after the other in one process, and says when each begins and ends."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    import firesteel

    order = json.loads(Path(sys.argv[1]).read_text())
    for number, script in enumerate(order["scripts"]):
        if number and order["turns"]:
            sys.stdin.readline()
        print(f"begin {number}", flush=True)
        job = firesteel.run(script, settings=order["settings"], fresh=True)
        print(f"end {number} {job.snapshot().rows_written}", flush=True)
    # Not through the destructors of librdkafka and the JVM.
    os._exit(0)


if __name__ == "__main__":
    main()
