"""Runs Python in a query on blocks of Arrow, for what Spark's own functions cannot do."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.spark.type import spark_type
from firesteel.types import DataType


def computed(function: Callable[..., pa.Array], result: DataType, *args: Column) -> Column:
    """Makes the column that `function` computes from the columns of the arguments. It runs on the workers, so it must
    be picklable.
    """
    made: Column = F.arrow_udf(function, returnType=spark_type(result))(*args)  # type: ignore[attr-defined]
    return made
