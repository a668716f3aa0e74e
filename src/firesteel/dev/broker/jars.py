"""Downloads Kafka's jars once, with the Ivy that is part of PySpark.

This package has no Maven, no address of a repository and no jar: Ivy knows where Apache's releases are. A company's own
repository is configured in an Ivy settings file, whose path is in FIRESTEEL_IVY_SETTINGS.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from firesteel.dev.broker.lock import held
from firesteel.errors import OutsideError
from firesteel.folder import cache_folder
from firesteel.java import find_java

KAFKA_VERSION = "4.2.0"

#: The dependencies that Ivy resolves. slf4j-simple writes the broker's log to its standard error: without it Kafka
#: would fail without a message.
_IVY_FILE = f"""\
<ivy-module version="2.0">
  <info organisation="firesteel" module="broker"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
    <dependency org="org.apache.kafka" name="kafka_2.13" rev="{KAFKA_VERSION}" conf="default->default"/>
    <dependency org="org.slf4j" name="slf4j-simple" rev="1.7.36" conf="default->default"/>
  </dependencies>
</ivy-module>
"""

#: The approximate number of modules that Ivy looks up, for the progress bar.
_EXPECTED = 46


class Watcher(Protocol):
    """Receives the progress of a download: the current step, how much is done, and out of how much."""

    def __call__(self, doing: str, done: int, total: int) -> None: ...


def _unwatched(doing: str, done: int, total: int) -> None:
    pass


def kafka_jars(watcher: Watcher = _unwatched) -> Path:
    """Returns the folder with Kafka's jars. Downloads them if they are missing."""
    folder = cache_folder() / f"kafka-{KAFKA_VERSION}"
    if folder.is_dir():
        return folder
    java, ivy = find_java(), find_ivy()
    with (
        _writable(folder.parent),
        held(folder.with_suffix(".lock"), lambda: watcher("waiting for another download", 0, 1)),
    ):
        if not folder.is_dir():
            # Only a complete set of jars gets the folder's name. An interrupted download leaves the other folder, Ivy's
            # own cache, where the next one continues.
            unfinished = folder.with_name(folder.name + ".unfinished")
            _fetch(java, ivy, unfinished, watcher)
            (unfinished / "jars").rename(folder)
            shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def find_ivy() -> Path:
    """Finds Ivy's jar inside PySpark without importing PySpark, which takes a second."""
    spec = importlib.util.find_spec("pyspark")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = sorted(Path(folder).glob("jars/ivy-*.jar"))
        if found:
            return found[-1]
    raise OutsideError(
        "PySpark is missing or has no Ivy jar in it.", hint="Install pyspark 4.3 with 'pip install pyspark'."
    )


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise OutsideError(
            f"'{folder}' cannot be written: {error.strerror}.", hint="Set FIRESTEEL_CACHE to a folder of yours."
        ) from error


def _fetch(java: Path, ivy: Path, folder: Path, watcher: Watcher) -> None:
    jars, log = folder / "jars", folder.with_suffix(".log")
    shutil.rmtree(jars, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    description = folder / "ivy.xml"
    description.write_text(_IVY_FILE)
    command: list[str | Path] = [java, *proxy_flags(os.environ), "-jar", ivy, "-cache", folder / "ivy"]
    settings = os.environ.get("FIRESTEEL_IVY_SETTINGS")
    if settings:
        command += ["-settings", settings]
    # Some of the jars (snappy, scala-logging) have the type bundle.
    command += ["-ivy", description, "-confs", "default", "-types", "jar", "bundle"]
    command += ["-retrieve", f"{jars}/[artifact]-[revision].[ext]"]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            assert process.stdout is not None
            _follow(process.stdout, out, watcher)
            status = process.wait()
        finally:
            process.kill()
            process.wait()
    if status != 0 or not any(jars.glob("kafka_*.jar")):
        raise OutsideError(
            f"Kafka {KAFKA_VERSION} could not be downloaded: {failure(log.read_text())}",
            hint=f"Check the network and try again. The output of Ivy is in {log}.",
        )
    log.unlink(missing_ok=True)


def _follow(lines: Iterable[str], log: IO[str], watcher: Watcher) -> None:
    progress = Counted()
    for line in lines:
        log.write(line)
        step = progress.after(line)
        if step != progress:
            progress = step
            watcher(progress.doing, progress.done, progress.total)


@dataclass(frozen=True)
class Counted:
    """Counts Ivy's progress from the lines it prints: it looks up every module, then downloads every jar.

    >>> step = Counted().after("found org.slf4j#slf4j-api;1.7.36 in public")
    >>> step.doing, step.done, step.total
    ('looking up', 1, 46)
    >>> step.after("[SUCCESSFUL ] org.slf4j#slf4j-api;1.7.36!slf4j-api.jar (164ms)")
    Counted(found=1, fetched=1)
    """

    found: int = 0
    fetched: int = 0

    @property
    def doing(self) -> str:
        return "downloading" if self.fetched else "looking up"

    @property
    def done(self) -> int:
        return self.fetched or self.found

    @property
    def total(self) -> int:
        return max(self.found, self.fetched) if self.fetched else max(self.found, _EXPECTED)

    def after(self, line: str) -> Counted:
        text = line.strip()
        if text.startswith("found "):
            return Counted(self.found + 1, self.fetched)
        if text.startswith("[SUCCESSFUL ]"):
            return Counted(self.found, self.fetched + 1)
        return self


def failure(output: str) -> str:
    """Chooses the line of Ivy's output that explains the failure best, as the end of a sentence."""
    for pattern in (r"(?:Host|Connection|Server access).*", r".*(?:Exception|unresolved dependency|UNRESOLVED).*"):
        match = re.search(pattern, output)
        if match:
            return match.group().strip(" \t:.*!") + "."
    return "Ivy ended without saying why."


def proxy_flags(environment: os._Environ[str] | dict[str, str]) -> list[str]:
    """Translates http_proxy and https_proxy, which Java does not read, into Java's flags.

    >>> proxy_flags({"https_proxy": "http://proxy.example:3128"})
    ['-Dhttps.proxyHost=proxy.example', '-Dhttps.proxyPort=3128']
    """
    flags = []
    for scheme in ("http", "https"):
        value = environment.get(f"{scheme}_proxy") or environment.get(f"{scheme.upper()}_PROXY") or ""
        match = re.fullmatch(r"(?:https?://)?([^@:/]+):(\d+)/?", value)
        if match:
            flags += [f"-D{scheme}.proxyHost={match[1]}", f"-D{scheme}.proxyPort={match[2]}"]
    return flags
