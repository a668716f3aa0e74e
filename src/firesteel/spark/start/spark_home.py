"""The home that Spark is started from: the installed PySpark's, without what only makes a start longer.

Spark puts `python/lib/pyspark.zip` of its home before all else on the path of every Python process, and Python compiles
what it takes from a zip file anew each time: half a second of CPU, for a dozen processes. And the jar of MLlib adds functions
of its own to every session, for which Scala's reflection takes a second of each start.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from firesteel.folder import cache_folder

VARIABLE = "SPARK_HOME"
_PROGRAMS, _JARS = "bin", "jars"
_LEFT_OUT = "spark-mllib_"


def package() -> Path:
    """The folder of PySpark, which need not be loaded for that."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def installed() -> int:
    """Another number when PySpark is installed again."""
    return (package() / _JARS).stat().st_mtime_ns


def digest(*about: str | int) -> str:
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]


def use_home() -> None:
    """Names the home to the Spark that is started next."""
    home = find_home()
    if home is not None:
        os.environ[VARIABLE] = home


def find_home() -> str | None:
    """The home that somebody has named, else a folder that leads to the parts of the package; None where it cannot be made:
    then Spark finds its own.
    """
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    home = cache_folder() / f"home-{digest(str(package()))}"
    jars = {jar.name: jar for jar in (package() / _JARS).glob("*.jar") if not jar.name.startswith(_LEFT_OUT)}
    try:
        (home / _JARS).mkdir(parents=True, exist_ok=True)
        _link(home / _PROGRAMS, package() / _PROGRAMS)
        for name, jar in jars.items():
            _link(home / _JARS / name, jar)
        for link in (home / _JARS).iterdir():
            # Of a PySpark that stood here before.
            if link.name not in jars:
                link.unlink(missing_ok=True)
    except OSError:
        return None
    return str(home)


def _link(link: Path, part: Path) -> None:
    # Another process may have made it in the meantime.
    with suppress(FileExistsError):
        if not link.is_symlink():
            link.symlink_to(part)
