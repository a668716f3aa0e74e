"""Lists how Spark computes each function of `plan/function/table.py`."""

from __future__ import annotations

from firesteel.spark.lower.function.collection import COLLECTION_SPELLINGS
from firesteel.spark.lower.function.form import Spelling
from firesteel.spark.lower.function.json import JSON_SPELLINGS
from firesteel.spark.lower.function.numeric import NUMERIC_SPELLINGS
from firesteel.spark.lower.function.operator import OPERATOR_SPELLINGS
from firesteel.spark.lower.function.python import PYTHON_SPELLINGS
from firesteel.spark.lower.function.string import STRING_SPELLINGS
from firesteel.spark.lower.function.time import TIME_SPELLINGS

SPELLINGS: dict[str, Spelling] = {
    **OPERATOR_SPELLINGS,
    **STRING_SPELLINGS,
    **NUMERIC_SPELLINGS,
    **TIME_SPELLINGS,
    **COLLECTION_SPELLINGS,
    **JSON_SPELLINGS,
    **PYTHON_SPELLINGS,
}
