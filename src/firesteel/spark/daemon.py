"""The process that Spark forks its Python workers from, with the workers' modules loaded: each would load them for itself.

Spark starts one for each module that its workers run: those that only plan reading (`pyspark.sql.worker…`) need little.
Only modules that start no thread which a fork would miss may be loaded here (`OPENBLAS_NUM_THREADS` sees to numpy's).
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pyspark.daemon import manager

import firesteel.spark.source

if sys.argv[1:] == ["pyspark.worker"]:
    import pandas  # noqa: F401
    import pyarrow.acero  # noqa: F401
    import pyspark.worker  # noqa: F401

    import firesteel.spark.fold
    import firesteel.spark.record
    import firesteel.spark.sink  # noqa: F401

if __name__ == "__main__":
    manager()
