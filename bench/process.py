"""What a process and everything below it costs, from Linux's /proc."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def _tree(root: int) -> dict[int, list[str]]:
    """The fields of `stat` behind the name, of the process and all below it."""
    children: dict[int, list[int]] = {}
    found: dict[int, list[str]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(entry.name)] = fields
        children.setdefault(int(fields[1]), []).append(int(entry.name))
    tree, waiting = {}, [root]
    while waiting:
        pid = waiting.pop()
        if pid in found:
            tree[pid] = found[pid]
            waiting += children.get(pid, [])
    return tree


class CpuMeter:
    """User and system time of a process and everything below it, as long as `read` is called now and then: a process that ends
    keeps what was seen of it last, because not every parent inherits the time of its children.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._seen: dict[tuple[int, str], float] = {}

    def read(self) -> float:
        """Seconds."""
        for pid, fields in _tree(self._root).items():
            # A process number may come again; with its start it is one process.
            self._seen[pid, fields[19]] = (int(fields[11]) + int(fields[12])) / _TICKS
        return sum(self._seen.copy().values())


@dataclass(frozen=True)
class Memory:
    """Bytes of the pages that processes hold, where pages that several share count once. `unclean` are those that the kernel cannot
    drop at once, because no file has the same content: all but the clean pages of files.
    """

    total: int
    unclean: int


def memory_of(root: int) -> Memory:
    """Adds up the memory of a process and everything below it."""
    total = unclean = 0
    for pid in _tree(root):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        pages = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss")}
        total += pages.get("Pss", 0)
        # Pages of files are dirty until they are written back.
        unclean += max(pages.get("Pss_Anon", 0) + pages.get("Pss_Shmem", 0), pages.get("Pss_Dirty", 0))
    return Memory(total, unclean)
