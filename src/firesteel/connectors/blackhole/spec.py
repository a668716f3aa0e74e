"""Says what `'connector' = 'blackhole'` is: rows that are taken and forgotten."""

from __future__ import annotations

from firesteel.changelog.kind import UPSERT
from firesteel.connectors.blackhole import options
from firesteel.connectors.spec import ConnectorSpec
from firesteel.options.option import Side

BLACKHOLE = ConnectorSpec(
    "blackhole", options.ROWS, side=Side.SINK, writes=UPSERT, runtime="blackhole:BlackholeRuntime"
)
