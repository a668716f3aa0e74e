"""Opens the folder that holds a job's state: checks whose it is, and whether a script still fits it."""

from __future__ import annotations

import hashlib
import json
import re

from firesteel.errors import UsageError
from firesteel.spark.damage import check_state, damage
from firesteel.storage.local import LocalFolder
from firesteel.storage.lock import Lock

_FILE = "firesteel.json"


class Checkpoint:
    """`folder` belongs to one job; each of its queries has a folder of its own inside. One process at a time has it."""

    def __init__(self, folder: LocalFolder) -> None:
        self.folder = folder
        self._lock: Lock | None = None

    def query_folder(self, name: str) -> LocalFolder:
        return self.folder.child(name)

    @property
    def exists(self) -> bool:
        return self.folder.exists(_FILE)

    def open(self, plans: dict[str, str], *, fresh: bool) -> bool:
        """Makes the folder ready for these plans, by query name. True: the job goes on where it stopped."""
        fingerprints = {name: fingerprint(plan) for name, plan in plans.items()}
        try:
            self.take()
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

    @property
    def plans(self) -> dict[str, str]:
        """Returns the plans whose state this is, by query."""
        return self._read()["plans"]

    def take(self) -> None:
        """Locks the folder: two processes on one state would each undo what the other keeps."""
        try:
            self._lock = Lock(self.folder)
        except BlockingIOError:
            raise UsageError(
                f"Another process runs this job: it holds the state in '{self.folder}'.",
                hint="Stop it, or give this job another name with --name.",
            ) from None

    def close(self) -> None:
        """Lets another process have the state."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _open(self, fingerprints: dict[str, str], plans: dict[str, str], fresh: bool) -> bool:
        if fresh and self.folder.exists():
            self._check_ours(fresh=True)
            self.folder.delete()
        if self.exists:
            self._check_fits(fingerprints, plans)
            check_state(self.folder, plans)
            return True
        self._check_ours()
        self.folder.make_private()
        self.folder.write_text(
            _FILE, json.dumps({"version": 1, "fingerprints": fingerprints, "plans": plans}, indent=1)
        )
        return False

    def _check_ours(self, *, fresh: bool = False) -> None:
        """Raises if the folder does not look like one of ours: nothing else is deleted or filled."""
        if self.folder.is_file:
            raise UsageError(f"'{self.folder}' is a file and cannot hold state.")
        if self.exists or not self.folder.list():
            return
        if not self._has_queries():
            raise UsageError(
                f"The folder '{self.folder}' is not empty and holds no state of Firesteel's.",
                hint="Choose another one with 'execution.checkpointing.dir'.",
            )
        if not fresh:
            raise damage(self.folder, _FILE, "is missing")

    def _has_queries(self) -> bool:
        """Checks that there is nothing in it but what queries have left: state that has lost our own file."""
        return all(
            name == f"{_FILE}.new" or (re.match(r"\d+-", name) and self.folder.exists(f"{name}/offsets"))
            for name in self.folder.list()
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
            found = self.folder.read(_FILE)
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
