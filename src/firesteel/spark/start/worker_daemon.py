"""The process that Spark forks its Python workers from. It loads the workers' modules once for all of them.

Only modules that start no thread may be loaded here, since a fork would not have it (`OPENBLAS_NUM_THREADS` prevents
numpy's).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas  # noqa: F401
import pyarrow.acero  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

#: The names of our modules that workers need. They are not imported: nothing here depends on them.
for _name in ("lower.batch_fold", "sink.write_task", "source.record_decoder", "source.stream_reader"):
    import_module(f"firesteel.spark.{_name}")

if __name__ == "__main__":
    if sys.flags.safe_path and os.getcwd() not in sys.path:  # noqa: PTH109
        # The working directory comes last instead of first: nothing there replaces a standard module.
        sys.path.append(os.getcwd())  # noqa: PTH109
    manager()
