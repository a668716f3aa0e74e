"""Says what `'connector' = 'datagen'` is: rows that are made up."""

from __future__ import annotations

from firesteel.changelog.kind import INSERT_ONLY
from firesteel.connectors.datagen import generator, options
from firesteel.connectors.spec import ConnectorSpec
from firesteel.options.option import Side

DATAGEN = ConnectorSpec(
    "datagen",
    options.ROWS,
    side=Side.SOURCE,
    reads=INSERT_ONLY,
    is_bounded=generator.is_bounded,
    identity=lambda _: "datagen",
    check_fields=generator.check_fields,
    runtime="datagen.runtime:DatagenRuntime",
)
