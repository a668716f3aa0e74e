"""Opens the folder that holds a job's state: checks whose it is, and whether a script still fits it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Literal

from firesteel.errors import UsageError
from firesteel.spark.damage import check_state, damage
from firesteel.spark.job.kept_positions import ReadKept, kept_for
from firesteel.spark.source.kept import Kept, parse_kept
from firesteel.state.manifest import FORMAT
from firesteel.storage.local import LocalFolder
from firesteel.storage.lock import Lock

_FILE = "firesteel.json"

#: What begins anew: nothing, the state, or the state and the positions of the sources.
Fresh = bool | Literal["state"]


_START_OVER = (
    "start over with --fresh (in Python fresh=True), or with --fresh-state (fresh='state'), which begins the state anew and reads on"
    " from where the job stopped"
)


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

    def open(self, plans: dict[str, str], *, fresh: Fresh, read_kept: ReadKept | None = None) -> bool:
        """Makes the folder ready for these plans, by query name. True: the job goes on where it stopped.

        `read_kept` is asked where `fresh` is "state".
        """
        fingerprints = {name: fingerprint(plan) for name, plan in plans.items()}
        try:
            self.take()
            if fresh is not True:
                self._clear()
            if fresh == "state" and self.exists and read_kept is not None:
                self._begin_anew(fingerprints, plans, read_kept)
                return False
            return self._open(fingerprints, plans, bool(fresh) and fresh != "state")
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

    def kept(self, query: str) -> tuple[Kept, ...]:
        """Gives the positions that a query begins with, if the state of an earlier one was given up and they were kept."""
        return tuple(map(parse_kept, self._content().get("kept", {}).get(query, ())))

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
            self._check_whole()
            return True
        self._check_ours()
        self.folder.make_private()
        self._write(fingerprints, plans)
        return False

    def _begin_anew(self, fingerprints: dict[str, str], plans: dict[str, str], read_kept: ReadKept) -> None:
        """Keeps where the sources stand, and gives everything else up. Positions are there before anything is removed."""
        self._check_whole()
        kept = {name: read_kept(self.query_folder(name), self.kept(name)) for name in self.plans}
        rendered = {name: [one.render() for one in found] for name, found in kept_for(plans, kept).items()}
        self._write(fingerprints, plans, kept=rendered, cleared=False)
        self._clear()

    def _clear(self) -> None:
        """Removes what queries have left whose state is given up."""
        if not self.exists or self._content().get("cleared", True):
            return
        for name in self.folder.list():
            if name != _FILE:
                self.folder.delete(name)
        content = self._content()
        self._write(content["fingerprints"], content["plans"], kept=content["kept"])

    def _check_whole(self) -> None:
        check_state(self.folder, self.plans, laid_out=self._content().get("version", 1) > 1)

    def _write(self, fingerprints: dict[str, str], plans: dict[str, str], **more: object) -> None:
        content = {"version": 2, "engine": FORMAT, "fingerprints": fingerprints, "plans": plans, **more}
        self.folder.write_text(_FILE, json.dumps(content, indent=1))

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
        # The first version did not say.
        engine = self._content().get("engine", 1)
        if engine != FORMAT and any("on the state engine" in plan for plan in kept["plans"].values()):
            raise UsageError(
                f"The state in '{self.folder}' has format {engine}, and this version of Firesteel reads {FORMAT}.",
                hint=f"Run the version that made it, or {_START_OVER}.",
            )
        if kept["fingerprints"] == fingerprints:
            return
        before, now = kept["plans"], plans
        changed = [name for name in now if before.get(name) != now[name]]
        gone = [name for name in before if name not in now]
        lines = [
            f"The state in '{self.folder}' belongs to another plan, so it cannot go on with this script."
            " The script was changed, or this is another version of Firesteel."
        ]
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
            hint=f"\n{_START_OVER[0].upper()}{_START_OVER[1:]}, or give the job another name with --name (name='…').",
            laid_out=True,
        )

    def _content(self) -> dict[str, Any]:
        found = self._read()
        return {**json.loads(self.folder.read(_FILE)), **found}

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
