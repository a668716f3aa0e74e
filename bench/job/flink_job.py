"""Runs scripts one after the other on a Flink inside this process's JVM. Runs in Flink's own environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    from pyflink.common import Configuration  # type: ignore[import-not-found]
    from pyflink.table import EnvironmentSettings, TableEnvironment  # type: ignore[import-not-found]

    order = json.loads(Path(sys.argv[1]).read_text())
    for number, script in enumerate(order["scripts"]):
        if number and order["turns"]:
            sys.stdin.readline()
        print(f"begin {number}", flush=True)
        configuration = Configuration()
        configuration.set_string("pipeline.jars", ";".join(f"file://{jar}" for jar in order["jars"]))
        for key, value in order["settings"].items():
            configuration.set_string(key, value)
        configuration.set_string("execution.checkpointing.dir", f"file://{order['folder']}/flink-{number}")
        settings = EnvironmentSettings.new_instance().in_streaming_mode().with_configuration(configuration).build()
        environment = TableEnvironment.create(settings)
        for statement in Path(script).read_text().split(";\n"):
            if statement.strip():
                result = environment.execute_sql(statement)
                if statement.strip().upper().startswith("INSERT"):
                    result.wait()
        print(f"end {number}", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
