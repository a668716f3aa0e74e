"""The folder that holds a job's state: whose it is, and whether a script still fits it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
from pathlib import Path

from firesteel.errors import UsageError
from firesteel.spark.damage import check_state, damage

_FILE = "firesteel.json"


class Checkpoint:
    """`folder` belongs to one job; each of its queries has a folder of its own inside. One process at a time has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None

    def query_folder(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def exists(self) -> bool:
        return (self.folder / _FILE).exists()

    def open(self, plans: dict[str, str], *, fresh: bool) -> bool:
        """Makes the folder ready for these plans, by query name. True: the job goes on where it stopped."""
        fingerprints = {name: fingerprint(plan) for name, plan in plans.items()}
        try:
            self._take()
            return self._open(fingerprints, plans, fresh)
        except OSError as error:
            self.close()
            raise UsageError(
                f"The folder '{self.folder}' cannot hold state: {error.strerror or error}.",
                hint="Choose another one with 'execution.checkpointing.dir'.",
            ) from None
        except BaseException:
            self.close()
            raise

    def _take(self) -> None:
        """Two processes on one state would each undo what the other keeps."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.folder.with_name(f"{self.folder.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise UsageError(
                f"Another process runs this job: it holds the state in '{self.folder}'.",
                hint="Stop it, or give this job another name with --name.",
            ) from None
        self._lock = lock

    def close(self) -> None:
        """Lets another process have the state. The lock's file stays: removing it could part two that wait for it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _open(self, fingerprints: dict[str, str], plans: dict[str, str], fresh: bool) -> bool:
        if fresh and self.folder.exists():
            self._check_ours(fresh=True)
            shutil.rmtree(self.folder)
        if self.exists:
            self._check_fits(fingerprints, plans)
            check_state(self.folder, plans)
            return True
        self._check_ours()
        self.folder.mkdir(parents=True, exist_ok=True)
        # State can hold anything the topics hold.
        self.folder.chmod(0o700)
        temporary = self.folder / f"{_FILE}.new"
        temporary.write_text(json.dumps({"version": 1, "fingerprints": fingerprints, "plans": plans}, indent=1))
        temporary.replace(self.folder / _FILE)
        return False

    def _check_ours(self, *, fresh: bool = False) -> None:
        """Nothing is deleted or filled that does not look like a folder of ours."""
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"'{self.folder}' is a file and cannot hold state.")
        if not self.folder.is_dir() or self.exists or not any(self.folder.iterdir()):
            return
        if not self._has_queries():
            raise UsageError(
                f"The folder '{self.folder}' is not empty and holds no state of Firesteel's.",
                hint="Choose another one with 'execution.checkpointing.dir'.",
            )
        if not fresh:
            raise damage(self.folder, _FILE, "is missing")

    def _has_queries(self) -> bool:
        """Whether there is nothing in it but what queries have left: state that has lost our own file."""
        return all(
            path.name == f"{_FILE}.new" or (re.match(r"\d+-", path.name) and (path / "offsets").is_dir())
            for path in self.folder.iterdir()
        )

    def _check_fits(self, fingerprints: dict[str, str], plans: dict[str, str]) -> None:
        kept = self._read()
        if kept["fingerprints"] == fingerprints:
            return
        before, now = kept["plans"], plans
        changed = [name for name in now if before.get(name) != now[name]]
        gone = [name for name in before if name not in now]
        lines = [f"The state in '{self.folder}' belongs to another plan, so it cannot go on with this script."]
        for name in changed:
            lines += [
                f"  {name} was:",
                *_indented(before.get(name, "(not there)")),
                "  and is now:",
                *_indented(now[name]),
            ]
        lines += [f"  {name} is no longer there." for name in gone]
        raise UsageError(
            "\n".join(lines),
            hint="\nStart over with --fresh (in Python fresh=True), or give the job another name with --name (name='…').",
            laid_out=True,
        )

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            found = (self.folder / _FILE).read_bytes()
            kept = json.loads(found)
        except OSError as error:
            raise damage(self.folder, _FILE, f"cannot be read ({error.strerror or error})") from None
        except ValueError:
            kept = None
        if not isinstance(kept, dict) or not all(_is_texts(kept.get(name)) for name in ("fingerprints", "plans")):
            raise damage(self.folder, _FILE, "is cut or changed" if found else "is empty")
        return kept


def _is_texts(found: object) -> bool:
    return isinstance(found, dict) and all(isinstance(text, str) for text in found.values())


def _indented(plan: str) -> list[str]:
    return [f"    {line}" for line in plan.splitlines()]


def fingerprint(plan: str) -> str:
    return hashlib.sha256(plan.encode()).hexdigest()
