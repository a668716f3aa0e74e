"""Makes private folders that a running Spark needs for itself, and removes those that dead processes have left.

They contain sockets, and blocks of shuffles, which contain data of the topics. Spark itself would make them in /tmp,
where everybody can read them, and leave them there if it is killed.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import OutsideError
from firesteel.spark.start.birth import birth

#: Short, since a socket's path is limited to about a hundred bytes.
_PREFIX = "fs-"
#: The file in each folder that names its owners: the processes that need it, by pid and birth.
_OWNER = "owner.json"

#: The name of the reports that `cli/main.py` writes for errors in Firesteel, and how many of them are kept.
_REPORTS = "firesteel-error-"
_KEPT_REPORTS = 5

#: The umask for files that only their owner can read.
PRIVATE = 0o077


@dataclass(frozen=True)
class Folders:
    """The folders of one JVM. `scratch` is its own; `local` are those for its blocks: the same one, unless the user has
    named others.
    """

    scratch: Path
    local: tuple[Path, ...]

    def all(self) -> tuple[Path, ...]:
        return tuple(dict.fromkeys((self.scratch, *self.local)))

    def claim(self, pid: int) -> None:
        for folder in self.all():
            claim(folder, pid)

    def remove(self) -> None:
        for folder in self.all():
            remove_scratch(folder)


def make_folders(named: str | None = None) -> Folders:
    """Makes the folders. `named` are the folders that the user has chosen for blocks, separated by commas: each gets a
    private one inside.
    """
    parents = [Path(name.strip()) for name in (named or "").split(",") if name.strip()]
    made: list[Path] = []
    place = Path(tempfile.gettempdir())
    try:
        made.append(make_scratch())
        for place in parents:
            place.mkdir(parents=True, exist_ok=True)
            made.append(make_scratch(place))
    except OSError as error:
        for folder in made:
            remove_scratch(folder)
        raise OutsideError(
            f"Spark needs a folder for its blocks, and none can be made in '{place}': {error.strerror or error}.",
            hint="Name another place with TMPDIR, or with 'spark.local.dir'.",
        ) from None
    return Folders(made[0], tuple(made[1:]) or (made[0],))


def make_scratch(parent: Path | None = None) -> Path:
    """Makes a private folder of this process, in the system's folder for temporary files or in `parent`."""
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    claim(folder, os.getpid())
    return folder


def claim(folder: Path, pid: int) -> None:
    """Adds a process to those that need the folder."""
    owners = [*_read_owners(folder / _OWNER), [pid, birth(pid)]]
    written = folder / f"{_OWNER}.new"
    written.write_text(json.dumps({"where": _where(), "processes": owners}))
    written.chmod(0o600)
    written.replace(folder / _OWNER)


def _read_owners(path: Path) -> list[list[object]]:
    try:
        owners: list[list[object]] = json.loads(path.read_text())["processes"]
    except FileNotFoundError:
        return []
    return owners


def _where() -> str:
    """Returns the machine and container that the pids belong to: a temporary folder may be shared with others."""
    try:
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115
    except OSError:
        space = ""
    return f"{platform.node()} {space}".strip()


def remove_scratch(folder: Path) -> None:
    """Removes a folder. Its owner file comes last, so that another start can finish a removal that is interrupted."""
    with suppress(OSError):
        for entry in folder.iterdir():
            if entry.name == _OWNER:
                continue
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def sweep(parents: Iterable[Path] = ()) -> None:
    """Removes folders that dead processes have left, and all but the newest reports of errors in Firesteel."""
    places = dict.fromkeys([Path(tempfile.gettempdir()), *parents])
    for place in places:
        for folder in _named(place, _PREFIX):
            if is_left(folder):
                remove_scratch(folder)
    reports = [path for path in _named(Path(tempfile.gettempdir()), _REPORTS) if _is_own(path, stat.S_ISREG)]
    with suppress(OSError):
        reports.sort(key=lambda path: path.stat().st_mtime)
        for path in reports[:-_KEPT_REPORTS]:
            path.unlink(missing_ok=True)


def is_left(folder: Path) -> bool:
    """Checks whether the folder is ours, and every process that needed it is dead."""
    owner = folder / _OWNER
    if not _is_own(folder, stat.S_ISDIR) or not _is_own(owner, stat.S_ISREG):
        return False
    try:
        record = json.loads(owner.read_text())
        # A pid of another machine or container cannot be checked here.
        return record["where"] == _where() and all(birth(int(pid)) != born for pid, born in record["processes"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _named(place: Path, prefix: str) -> Iterator[Path]:
    with suppress(OSError):
        yield from [path for path in place.iterdir() if path.name.startswith(prefix)]


def _is_own(path: Path, kind: object) -> bool:
    """Checks whether a file is of this user and of this kind, is no link, and nobody else can write to it: in /tmp
    anybody can create files.
    """
    try:
        found = path.lstat()
    except OSError:
        return False
    assert callable(kind)
    return bool(kind(found.st_mode)) and found.st_uid == os.geteuid() and not found.st_mode & 0o022
