"""How Spark computes each function of `plan/function.py`: the other half of its row."""

from __future__ import annotations

from firesteel.spark.collection_function import COLLECTION_SPELLINGS
from firesteel.spark.json_function import JSON_SPELLINGS
from firesteel.spark.numeric_function import NUMERIC_SPELLINGS
from firesteel.spark.operator_function import OPERATOR_SPELLINGS
from firesteel.spark.python_function import PYTHON_SPELLINGS
from firesteel.spark.spelling import Spelling
from firesteel.spark.string_function import STRING_SPELLINGS
from firesteel.spark.time_function import TIME_SPELLINGS

SPELLINGS: dict[str, Spelling] = {
    **OPERATOR_SPELLINGS,
    **STRING_SPELLINGS,
    **NUMERIC_SPELLINGS,
    **TIME_SPELLINGS,
    **COLLECTION_SPELLINGS,
    **JSON_SPELLINGS,
    **PYTHON_SPELLINGS,
}
