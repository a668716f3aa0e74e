"""Python in a query, a block of Arrow at a time, for what Spark's own functions cannot do."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from firesteel.spark.type import spark_type
from firesteel.types import DataType


def computed(function: Callable[..., pa.Array], result: DataType, *args: Column) -> Column:
    """The column that `function` makes of the arguments' columns. It runs on the workers, so it must be picklable."""
    made: Column = F.arrow_udf(function, returnType=spark_type(result))(*args)  # type: ignore[attr-defined]
    return made
