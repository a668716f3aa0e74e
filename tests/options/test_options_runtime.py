"""Every connector's run time has what its side needs. They are found by name, so mypy cannot say it."""

from __future__ import annotations

import pytest

from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.spec import ConnectorSpec
from firesteel.options.option import Side
from firesteel.spark.connector.port import Runtime
from firesteel.spark.connector.runtimes import load_runtime


@pytest.mark.parametrize("spec", CONNECTORS, ids=lambda spec: spec.name)
def test_a_run_time_opens_the_tables_of_its_side(spec: ConnectorSpec) -> None:
    runtime = load_runtime(spec.runtime)
    assert issubclass(runtime, Runtime)
    assert (runtime.open_source is not Runtime.open_source) == (spec.side is not Side.SINK)
    assert (runtime.open_sink is not Runtime.open_sink) == (spec.side is not Side.SOURCE)
