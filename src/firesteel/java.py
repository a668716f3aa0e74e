"""Find a Java that Spark and Kafka run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from firesteel.errors import OutsideError

#: The oldest Java that Spark 4 and Kafka 4 start on.
OLDEST = 17

_CURE = f"Install Java {OLDEST} or later (package openjdk-{OLDEST}-jre-headless or the like), or set JAVA_HOME to one."


def find_java() -> Path:
    """Finds the java program of JAVA_HOME, else of the PATH. Raises `OutsideError` if there is none or it is too old."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not os.access(java, os.X_OK):
            raise OutsideError(f"JAVA_HOME is '{home}', but there is no bin/java in it.", hint=_CURE)
    else:
        found = shutil.which("java")
        if found is None:
            raise OutsideError("Java is missing: there is no 'java' on the PATH and JAVA_HOME is not set.", hint=_CURE)
        java = Path(found)
    version = java_version(java)
    if version is None:
        # On macOS /usr/bin/java exists without any Java behind it.
        raise OutsideError(f"'{java}' does not start, so Java is missing.", hint=_CURE)
    if version < OLDEST:
        raise OutsideError(f"'{java}' is Java {version}; Java {OLDEST} or later is needed.", hint=_CURE)
    return java


@cache
def java_version(java: Path) -> int | None:
    """Returns the feature release of a java program (8, 11, 17 …); None if it does not start. Cached: a start needs it often."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(answer.stderr + answer.stdout) if answer.returncode == 0 else None


def parse_version(text: str) -> int | None:
    """Reads the feature release from the output of `java -version`.

    >>> parse_version('openjdk version "17.0.15" 2025-04-15')
    17
    >>> parse_version('java version "1.8.0_402"')
    8
    """
    match = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(match.group(1)) if match else None
