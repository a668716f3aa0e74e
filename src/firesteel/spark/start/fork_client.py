"""Runs instead of Python where Spark starts a Python process: asks the fork server to fork it, and waits for its end.

It is run as a script, by a Python without site packages, and so only imports the standard library. If no server accepts
the request, it becomes the Python that was asked for.
"""

import array
import marshal
import os
import socket
import sys
from contextlib import suppress

#: The server's socket, in the script's folder.
SOCKET = "server"
ACCEPTED = b"+"


def main() -> None:
    folder = os.path.dirname(sys.argv[0])  # noqa: PTH120
    with socket.socket(socket.AF_UNIX) as connection:
        if _is_accepted(connection, os.path.join(folder, SOCKET), sys.argv[1:]):  # noqa: PTH118
            sys.exit(_await_end(connection))
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


def _is_accepted(connection: socket.socket, server: str, words: list[str]) -> bool:
    """Sends the request. The new process gets our standard streams, environment variables and working directory."""
    order = marshal.dumps((words, dict(os.environ), os.getcwd()))  # noqa: PTH109
    files = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    try:
        connection.connect(server)
        connection.sendmsg([len(order).to_bytes(4, "big")], [files])
        connection.sendall(order)
        return connection.recv(1) == ACCEPTED
    except OSError:
        return False


def _await_end(connection: socket.socket) -> int:
    """Returns the exit status of the process. The server sends none for one that was killed."""
    with suppress(OSError):
        for status in connection.recv(1):
            return status
    return 1


if __name__ == "__main__":
    main()
