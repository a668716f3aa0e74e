"""Every connector's run time has the functions that its side needs. They are found by name, so mypy cannot say it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from firesteel.connectors.builtin import CONNECTORS
from firesteel.connectors.spec import ConnectorSpec
from firesteel.options.option import Side

FOLDER = Path(__file__).parents[2] / "src" / "firesteel" / "spark" / "connector"
READS = {"open_source", "partitions", "make_reader"}
WRITES = {"open_sink", "make_writing"}


@pytest.mark.parametrize("spec", CONNECTORS, ids=lambda spec: spec.name)
def test_a_run_time_has_the_functions_of_its_side(spec: ConnectorSpec) -> None:
    tree = ast.parse((FOLDER / f"{spec.runtime.replace(chr(46), chr(47))}.py").read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    wanted = {"topics"}
    if spec.side is not Side.SINK:
        wanted |= READS
    if spec.side is not Side.SOURCE:
        wanted |= WRITES
    assert wanted <= functions
