"""Makes the home that Spark is started from: the installed PySpark's, without parts that only make a start slower.

Spark puts `python/lib/pyspark.zip` of its home first on the path of every Python process, and Python compiles the
modules of a zip file anew each time: half a second of CPU, for a dozen processes. And the jar of MLlib adds functions
to every session, for which Scala's reflection takes a second of each start.
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
    """Returns the folder of PySpark, without loading it."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def installed() -> int:
    """Returns a number that changes when PySpark is installed again."""
    return (package() / _JARS).stat().st_mtime_ns


def digest(*about: str | int) -> str:
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:8]


def use_home() -> None:
    """Sets the home for the Spark that is started next."""
    home = find_home()
    if home is not None:
        os.environ[VARIABLE] = home


def find_home() -> str | None:
    """Returns the home that the user has set, or a folder with links to the parts of the package. Returns None if that
    cannot be made: then Spark finds its own.
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
            # A link to a PySpark that was here before.
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
