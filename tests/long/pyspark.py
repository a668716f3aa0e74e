"""The tests of Spark on the other PySpark that Firesteel takes: in an environment of its own, in a temporary folder.

    python -m tests.long.pyspark [--version 4.2.1] [--keep FOLDER] [TEST …]

The lock file has the newest one. This makes an environment from it with the other in its place, and runs these tests there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from firesteel.folder import cache_folder

ROOT = Path(__file__).parents[2]
VERSION = "4.2.1"
TESTS = ("tests/spark", "tests/faults", "tests/cli/test_cli_run.py")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.long.pyspark", description=__doc__)
    parser.add_argument("--version", default=VERSION, help=f"of PySpark; {VERSION}")
    parser.add_argument("--keep", type=Path, help="a folder for the environment, which stays and is used again")
    parser.add_argument("tests", nargs="*", default=TESTS, metavar="TEST", help="what pytest is told")
    args = parser.parse_args()
    if args.keep is not None:
        return run(args.keep, args.version, args.tests)
    with tempfile.TemporaryDirectory(prefix="pyspark-") as folder:
        return run(Path(folder), args.version, args.tests)


def run(folder: Path, version: str, tests: list[str]) -> int:
    """The exit status of pytest. Prints which PySpark it was, how long it took and what came of it."""
    python = make(folder, version)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    environment |= {"FIRESTEEL_CACHE": str(_cache(folder)), "PATH": f"{python.parent}:{environment['PATH']}"}
    subprocess.run([python.parent / "firesteel", "warm", "--if-missing"], cwd=ROOT, env=environment, check=True)
    began = time.monotonic()
    ended = subprocess.run([python, "-m", "pytest", *tests], cwd=ROOT, env=environment, check=False)
    said = "passed" if ended.returncode == 0 else f"FAILED (exit status {ended.returncode})"
    print(f"PySpark {version}: {' '.join(tests)} {said}, {time.monotonic() - began:.0f} s")
    return ended.returncode


def _cache(folder: Path) -> Path:
    """A cache of its own, with Kafka's jars, which are the same."""
    cache = folder.absolute() / "cache"
    cache.mkdir(exist_ok=True)
    for jars in cache_folder().glob("kafka-*"):
        link = cache / jars.name
        if jars.is_dir() and not link.exists():
            link.symlink_to(jars)
    return cache


def make(folder: Path, version: str) -> Path:
    """The Python of an environment with that PySpark."""
    folder = folder.absolute()
    python = folder / "bin" / "python"
    done = folder / f"pyspark-{version}"
    if done.exists():
        return python
    print(f"making an environment with PySpark {version} in {folder}")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    lock = folder / "other.lock"
    lock.write_text(without((ROOT / "requirements.lock").read_text(encoding="utf-8"), "pyspark"))
    _install(python, "--require-hashes", "--no-deps", "-r", str(lock))
    _install(python, f"pyspark=={version}")
    _install(python, "--no-deps", "--no-build-isolation", "-e", str(ROOT))
    done.touch()
    return python


def _install(python: Path, *words: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([python, "-m", "pip", "install", *quiet, *words], check=True)


def without(lock: str, package: str) -> str:
    """A lock file without a package and its hashes.

    >>> without("py4j==1 \\\\\\n    --hash=a\\npyspark==4 \\\\\\n    --hash=b \\\\\\n    --hash=c\\nrich==1\\n", "pyspark")
    'py4j==1 \\\\\\n    --hash=a\\nrich==1\\n'
    """
    kept: list[str] = []
    skipping = False
    for line in lock.splitlines(keepends=True):
        if not line.startswith((" ", "\t")):
            skipping = line.startswith((f"{package}==", f"{package} "))
        if not skipping:
            kept.append(line)
    return "".join(kept)


if __name__ == "__main__":
    sys.exit(main())
