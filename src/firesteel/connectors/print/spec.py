"""Says what `'connector' = 'print'` is: rows shown to a person."""

from __future__ import annotations

from firesteel.changelog.kind import ALL
from firesteel.connectors.print import options
from firesteel.connectors.spec import ConnectorSpec
from firesteel.options.option import Side

PRINT = ConnectorSpec("print", options.ROWS, side=Side.SINK, writes=ALL, runtime="print:PrintRuntime")
