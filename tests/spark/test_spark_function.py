"""The two halves of the function table belong together."""

from __future__ import annotations

from firesteel.plan.function.table import FUNCTIONS
from firesteel.plan.function.time import EXTRACTED_PARTS
from firesteel.spark.lower.function.table import SPELLINGS


def test_every_function_can_be_computed() -> None:
    # YEAR(t) becomes EXTRACT(YEAR FROM t), and so do the others of its kind.
    assert {function.name for function in FUNCTIONS} - set(SPELLINGS) == set(EXTRACTED_PARTS)


def test_nothing_is_spelt_that_nobody_can_call() -> None:
    # FIELD is what `row.field` becomes, PYTHON a call of a function of the script's own.
    assert set(SPELLINGS) - {function.name for function in FUNCTIONS} == {"FIELD", "PYTHON"}
