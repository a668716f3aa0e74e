"""The two halves of the function table belong together."""

from __future__ import annotations

from firesteel.plan.function.table import FUNCTIONS
from firesteel.plan.function.time import EXTRACTED_PARTS
from firesteel.spark.lower.function.table import TRANSLATIONS


def test_every_function_can_be_computed() -> None:
    # YEAR(t) becomes EXTRACT(YEAR FROM t), and so do the others of its kind.
    assert {function.name for function in FUNCTIONS} - set(TRANSLATIONS) == set(EXTRACTED_PARTS)


def test_every_translation_belongs_to_a_function() -> None:
    # FIELD is what `row.field` becomes, PYTHON a call of a function of the script's own.
    assert set(TRANSLATIONS) - {function.name for function in FUNCTIONS} == {"FIELD", "PYTHON"}
