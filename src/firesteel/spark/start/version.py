"""Checks which PySpark is installed, before a wrong version fails somewhere."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from firesteel.errors import OutsideError

#: The versions that Firesteel runs on, without the second one. `pyproject.toml` has the same.
OLDEST, TOO_NEW = (4, 2), (4, 4)

_CURE = f"pip install 'pyspark>={OLDEST[0]}.{OLDEST[1]},<{TOO_NEW[0]}.{TOO_NEW[1]}' installs one."


def check_pyspark() -> None:
    """Raises `OutsideError` if PySpark is missing or has a version that Firesteel does not run on."""
    found = _installed()
    needed = f"PySpark {OLDEST[0]}.{OLDEST[1]} or later, before {TOO_NEW[0]}.{TOO_NEW[1]}"
    if found is None:
        raise OutsideError(f"PySpark is not installed, and Firesteel needs {needed}.", hint=_CURE)
    numbers = re.match(r"(\d+)\.(\d+)", found)
    if numbers is None or not OLDEST <= (int(numbers[1]), int(numbers[2])) < TOO_NEW:
        raise OutsideError(f"PySpark {found} is installed, and Firesteel needs {needed}.", hint=_CURE)


def _installed() -> str | None:
    """Returns the version without loading PySpark. Some PySparks have no metadata, but each has this file."""
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        return None
    try:
        text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    except OSError:
        return "of an unknown version"
    found = re.search(r"__version__[^\"']*[\"']([^\"']+)", text)
    return found[1] if found else "of an unknown version"
