"""Spark's master: what its address says."""

from __future__ import annotations

import re

#: Spark's own number for clusters: how often a task is tried.
_ATTEMPTS = 4


def local_master(cores: int) -> str:
    """Spark in this process. A task that fails is tried again, as on a cluster; by itself Spark would not do so here."""
    return f"local[{cores},{_ATTEMPTS}]"


def is_master(address: str) -> bool:
    """Whether it is of a kind that Spark knows.

    >>> [is_master(one) for one in ("local[*]", "yarn", "spark://a:7077", "k8s://https://a", "a:7077", "")]
    [True, True, True, True, False, False]
    """
    return re.fullmatch(r"local(\[.*\])?|local-cluster\[.*\]|yarn|spark://.+|k8s://.+", address) is not None


def is_local(master: str | None) -> bool:
    return master is None or master.startswith("local")


def is_in_one_process(master: str | None) -> bool:
    """Whether Spark is in this process alone. Its test of a cluster, `local-cluster[…]`, is local too, and has others."""
    return master is None or re.fullmatch(r"local(\[.*\])?", master) is not None


def is_loopback(master: str | None) -> bool:
    """Whether nothing of the cluster is on another machine, as far as its address says."""
    hosts = [host for host, _ in addresses(master or "")]
    return is_local(master) or bool(hosts and all(host in ("127.0.0.1", "localhost") for host in hosts))


def addresses(master: str) -> list[tuple[str, int]]:
    """The hosts and ports of a standalone cluster.

    >>> addresses("spark://a:7077,b:7078"), addresses("local[2]"), addresses("yarn")
    ([('a', 7077), ('b', 7078)], [], [])
    """
    if not master.startswith("spark://"):
        return []
    found = re.findall(r"([^,:/]+):(\d+)", master.removeprefix("spark://"))
    return [(host, int(port)) for host, port in found]
