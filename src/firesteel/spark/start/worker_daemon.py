"""The process that Spark forks its Python workers from, with the workers' modules loaded: each would load them for itself.

Only modules that start no thread which a fork would miss may be loaded here (`OPENBLAS_NUM_THREADS` sees to numpy's).
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

#: What our workers need: by name, for nothing here depends on it.
import_module("firesteel.storage.local")
import_module("firesteel.spark.lower.batch_fold")
import_module("firesteel.connectors.builtin").load_worker_modules()
import_module("firesteel.formats.builtin").load_codecs()

if __name__ == "__main__":
    if sys.flags.safe_path and os.getcwd() not in sys.path:  # noqa: PTH109
        # The folder it was started in comes last instead of first: nothing there has the place of one of Python's own modules.
        sys.path.append(os.getcwd())  # noqa: PTH109
    manager()
