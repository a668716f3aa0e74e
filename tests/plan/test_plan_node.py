"""Every kind of node answers what passes and checks ask, and is known to them."""

from __future__ import annotations

import inspect
import pkgutil
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import get_args

import pytest

import firesteel.plan.node
from firesteel.plan.node.plan_node import PlanNode
from firesteel.plan.node.relation import Node

KINDS = get_args(Node)


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_answers_every_question(kind: type) -> None:
    assert is_dataclass(kind) and issubclass(kind, PlanNode) and not inspect.isabstract(kind)
    own = {field.name for field in fields(kind)}
    for name in ("inputs", "fields", "changelog", "unique_key", "expressions", "label"):
        assert name in own or hasattr(kind, name), f"{kind.__name__} says nothing of its {name}"


def test_every_node_stands_in_the_union_that_matches_are_checked_against() -> None:
    for module in pkgutil.iter_modules(firesteel.plan.node.__path__, "firesteel.plan.node."):
        import_module(module.name)

    def leaves(kind: type) -> set[type]:
        subclasses: list[type] = kind.__subclasses__()
        below = [one for one in subclasses if one.__module__.startswith("firesteel.")]
        return {leaf for one in below for leaf in leaves(one)} if below else {kind}

    assert leaves(PlanNode) == set(KINDS)


def test_a_node_that_forgets_an_answer_cannot_be_made() -> None:
    class Forgetful(PlanNode):
        pass

    with pytest.raises(TypeError, match="columns_needed"):
        Forgetful()  # type: ignore[abstract]
