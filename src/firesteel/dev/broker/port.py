"""Finds ports of this machine that no process listens on."""

from __future__ import annotations

import random
import socket

HOST = "127.0.0.1"

#: Below the ports that systems use for outgoing connections: such a port could be taken between choosing and listening,
#: and a client that connects before the server listens could connect to itself.
_CHOICE = range(20_000, 32_000)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # Like servers do: a port counts as free while its last connections are closing.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port(*but: int) -> int:
    """Finds a free port, other than those."""
    for _ in range(1000):
        port = random.choice(_CHOICE)
        if port not in but and is_free(port):
            return port
    raise OSError("no free port between 20000 and 32000")


def answers(port: int) -> bool:
    """Checks whether a process accepts connections there."""
    try:
        socket.create_connection((HOST, port), timeout=1).close()
    except OSError:
        return False
    return True
