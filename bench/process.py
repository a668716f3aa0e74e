"""What a process and everything below it costs, from Linux's /proc."""

from __future__ import annotations

import os
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


def memory_bytes(root: int) -> int:
    """What the processes hold; memory that several share counts once."""
    total = 0
    for pid in _tree(root):
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total
