"""Calls the script's own Python functions, on blocks of Arrow, row by row."""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.formats.arrow_type import arrow_type
from firesteel.plan.expression import Call
from firesteel.plan.function.python import find_target
from firesteel.spark.failure import CarriedError
from firesteel.spark.lower.function.arrow import computed
from firesteel.spark.lower.function.form import Translation, literal


def _python(call: Call, args: list[Column]) -> Column:
    path = str(literal(call, 0))
    function = find_target(path)
    beside = send_along(path.rpartition(".")[0])
    result = arrow_type(call.type)

    def compute(*columns: pa.Array) -> pa.Array:
        if beside is not None and beside not in sys.path:
            # For modules that the function imports only when it is called.
            sys.path.append(beside)
        values = []
        for row in zip(*(column.to_pylist() for column in columns), strict=True):
            try:
                # The first column only gives the number of rows.
                values.append(function(*row[1:]))
            except Exception as error:
                raise CarriedError(
                    f"The function '{path}' failed: {type(error).__name__}: {str(error)[:200]}"
                ) from None
        try:
            return pa.array(values, result)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise CarriedError(
                f"The function '{path}' gives a value that is no {call.type.sql}: {str(error)[:200]}",
                "Return what its annotation, or its 'result_type', says.",
            ) from None

    return computed(compute, call.type, F.lit(True), *args[1:])


def send_along(module_name: str) -> str | None:
    """Sends the module, and what is beside it, with the function, so that workers need not have it installed. Returns
    its folder, or None for an installed module.
    """
    module = sys.modules[module_name]
    if module.__file__ is None:
        return None
    folder = Path(module.__file__).resolve().parent
    if folder.is_relative_to(sys.prefix) or folder.is_relative_to(sys.base_prefix):
        # An installed module must be installed on the workers too.
        return None
    for other in list(sys.modules.values()):
        path = getattr(other, "__file__", None)
        if path is not None and Path(path).resolve().parent == folder:
            cloudpickle.register_pickle_by_value(other)  # type: ignore[no-untyped-call]
    # The folder that contains the whole package.
    depth = module_name.count(".") + (Path(module.__file__).stem == "__init__")
    return str(folder.parents[depth - 1] if depth else folder)


PYTHON_TRANSLATIONS: dict[str, Translation] = {"PYTHON": _python}
