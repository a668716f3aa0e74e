"""The column that says what a row means in a changelog. It is there only where a plan does more than insert."""

from __future__ import annotations

from firesteel.changelog import RowKind

KIND = "__kind"

#: How the column holds a kind: its place among `RowKind`'s members, as the formats count them too.
CODES = {kind: code for code, kind in enumerate(RowKind)}
