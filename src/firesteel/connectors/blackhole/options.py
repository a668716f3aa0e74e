"""Lists the options of `'connector' = 'blackhole'`: a sink that takes every row and keeps none."""

from __future__ import annotations

from dataclasses import replace

from firesteel.options import table

CONNECTOR = replace(table.CONNECTOR, summary="Here `blackhole`.", summary_zh="此处为 `blackhole`。", aliases=())

ROWS = (CONNECTOR,)
