"""A column by its name. A module of its own: workers need it, and not all that expressions need."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def column(name: str) -> Column:
    """Refers to a column by its name, whatever signs the name holds."""
    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")
