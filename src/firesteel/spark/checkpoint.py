"""The folder that holds a job's state: whose it is, and whether a script still fits it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from pathlib import Path

from firesteel.errors import UsageError

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
        self._take()
        try:
            return self._open(fingerprints, plans, fresh)
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
            self._check_ours()
            shutil.rmtree(self.folder)
        if self.exists:
            self._check_fits(fingerprints, plans)
            return True
        self._check_ours()
        self.folder.mkdir(parents=True, exist_ok=True)
        # State can hold anything the topics hold.
        self.folder.chmod(0o700)
        temporary = self.folder / f"{_FILE}.new"
        temporary.write_text(json.dumps({"version": 1, "fingerprints": fingerprints, "plans": plans}, indent=1))
        temporary.replace(self.folder / _FILE)
        return False

    def _check_ours(self) -> None:
        """Nothing is deleted or filled that does not look like a folder of ours."""
        if self.folder.is_dir() and not self.exists and any(self.folder.iterdir()):
            raise UsageError(
                f"The folder '{self.folder}' is not empty and holds no state of Firesteel's.",
                hint="Choose another one with 'execution.checkpointing.dir'.",
            )
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"'{self.folder}' is a file and cannot hold state.")

    def _check_fits(self, fingerprints: dict[str, str], plans: dict[str, str]) -> None:
        try:
            kept = json.loads((self.folder / _FILE).read_text())
        except (OSError, json.JSONDecodeError) as error:
            raise UsageError(
                f"The state in '{self.folder}' cannot be read: {error}.", hint="Start over with --fresh."
            ) from None
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


def _indented(plan: str) -> list[str]:
    return [f"    {line}" for line in plan.splitlines()]


def fingerprint(plan: str) -> str:
    return hashlib.sha256(plan.encode()).hexdigest()
