"""The home that Spark is started from: the installed PySpark's, without the zipped copy of its Python modules.

Spark puts `python/lib/pyspark.zip` of its home before all else on the path of every Python process, and Python compiles
what it takes from a zip file anew each time: half a second of CPU, for a dozen processes.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import pyspark

from firesteel.folder import cache_folder

_VARIABLE = "SPARK_HOME"
_PARTS = ("bin", "jars")


def use_home() -> None:
    """Names the home to the Spark that is started next."""
    home = find_home()
    if home is not None:
        os.environ[_VARIABLE] = home


def find_home() -> str | None:
    """The home that somebody has named, else a folder that leads to the parts of the package; None where it cannot be made:
    then Spark finds its own.
    """
    if _VARIABLE in os.environ:
        return os.environ[_VARIABLE]
    package = Path(pyspark.__file__).parent
    place = hashlib.sha256(str(package).encode()).hexdigest()[:8]
    home = cache_folder() / f"spark-{pyspark.__version__}-{place}"
    try:
        home.mkdir(parents=True, exist_ok=True)
        for part in _PARTS:
            # Another process may have made it in the meantime.
            with suppress(FileExistsError):
                (home / part).symlink_to(package / part, target_is_directory=True)
    except OSError:
        return None
    return str(home) if all((home / part).is_dir() for part in _PARTS) else None
