"""The process that Spark forks its Python workers from. It loads the workers' modules once for all of them.

Only modules that start no thread may be loaded here, since a fork would not have it (`OPENBLAS_NUM_THREADS` prevents
numpy's).
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pkgutil import iter_modules

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pandas  # noqa: F401
import pyarrow.acero  # noqa: F401
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

#: What our workers need: by name, for nothing here depends on it.
import_module("firesteel.storage.local")
import_module("firesteel.spark.lower.batch_fold")
import_module("firesteel.spark.lower.keyed.processor")
for _found in iter_modules(import_module("firesteel.state.operator").__path__, "firesteel.state.operator."):
    import_module(_found.name)
import_module("firesteel.connectors.builtin").load_worker_modules()
import_module("firesteel.formats.builtin").load_codecs()

if __name__ == "__main__":
    if sys.flags.safe_path and os.getcwd() not in sys.path:  # noqa: PTH109
        # The working directory comes last instead of first: nothing there replaces a standard module.
        sys.path.append(os.getcwd())  # noqa: PTH109
    manager()
