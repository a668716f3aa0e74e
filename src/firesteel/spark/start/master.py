"""Reads the address of Spark's master."""

from __future__ import annotations

import re

#: Spark's default for clusters: how often a task is tried.
_ATTEMPTS = 4


def local_master(cores: int) -> str:
    """Returns the address of Spark in this process. It repeats failed tasks as a cluster does, which Spark's default
    does not.
    """
    return f"local[{cores},{_ATTEMPTS}]"


def is_master(address: str) -> bool:
    """Checks whether Spark knows this kind of address.

    >>> [is_master(one) for one in ("local[*]", "yarn", "spark://a:7077", "k8s://https://a", "a:7077", "")]
    [True, True, True, True, False, False]
    """
    return re.fullmatch(r"local(\[.*\])?|local-cluster\[.*\]|yarn|spark://.+|k8s://.+", address) is not None


def is_local(master: str | None) -> bool:
    return master is None or master.startswith("local")


def is_in_one_process(master: str | None) -> bool:
    """Checks whether Spark is in this process alone. `local-cluster[…]`, Spark's simulated cluster, has other processes."""
    return master is None or re.fullmatch(r"local(\[.*\])?", master) is not None


def is_loopback(master: str | None) -> bool:
    """Checks whether the cluster is on this machine only, judging by its address."""
    hosts = [host for host, _ in addresses(master or "")]
    return is_local(master) or bool(hosts and all(host in ("127.0.0.1", "localhost") for host in hosts))


def addresses(master: str) -> list[tuple[str, int]]:
    """Returns the hosts and ports of a standalone cluster.

    >>> addresses("spark://a:7077,b:7078"), addresses("local[2]"), addresses("yarn")
    ([('a', 7077), ('b', 7078)], [], [])
    """
    if not master.startswith("spark://"):
        return []
    found = re.findall(r"([^,:/]+):(\d+)", master.removeprefix("spark://"))
    return [(host, int(port)) for host, port in found]
