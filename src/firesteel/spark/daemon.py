"""The process that Spark forks its Python workers from, with the workers' modules loaded: each would load them for itself.

Only modules that start no thread which a fork would miss may be loaded here (`OPENBLAS_NUM_THREADS` sees to numpy's).
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas  # noqa: F401
import pyarrow.acero  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import firesteel.spark.fold
import firesteel.spark.record
import firesteel.spark.sink
import firesteel.spark.source  # noqa: F401

if __name__ == "__main__":
    manager()
