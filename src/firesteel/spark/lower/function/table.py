"""Lists how Spark computes each function of `plan/function/table.py`."""

from __future__ import annotations

from firesteel.spark.lower.function.collection import COLLECTION_TRANSLATIONS
from firesteel.spark.lower.function.form import Translation
from firesteel.spark.lower.function.json import JSON_TRANSLATIONS
from firesteel.spark.lower.function.numeric import NUMERIC_TRANSLATIONS
from firesteel.spark.lower.function.operator import OPERATOR_TRANSLATIONS
from firesteel.spark.lower.function.python import PYTHON_TRANSLATIONS
from firesteel.spark.lower.function.string import STRING_TRANSLATIONS
from firesteel.spark.lower.function.time import TIME_TRANSLATIONS

TRANSLATIONS: dict[str, Translation] = {
    **OPERATOR_TRANSLATIONS,
    **STRING_TRANSLATIONS,
    **NUMERIC_TRANSLATIONS,
    **TIME_TRANSLATIONS,
    **COLLECTION_TRANSLATIONS,
    **JSON_TRANSLATIONS,
    **PYTHON_TRANSLATIONS,
}
