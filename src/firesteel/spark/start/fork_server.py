"""The process that all Python processes of a Spark on this machine are forked from, with their modules loaded.

    python -m firesteel.spark.start.fork_server DESCRIPTOR

listens on the socket of that descriptor, and ends when its input is closed, that is, when the process that started it
has ended. Spark starts a Python process to ask a source for its columns, another one for its reader, a third for its
offsets at each start of a query, and a fourth that forks its workers. Each would load the modules that are loaded here
once, while Spark's JVM starts; forked processes are ready at once. `fork_client.py` is the other side.
"""

from __future__ import annotations

import gc
import marshal
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from firesteel.spark.start.fork_client import ACCEPTED

_HOUR = 3600.0

#: The names of our modules that forked processes need. They are not imported: nothing here depends on them.
_LOADED = (
    "firesteel.spark.start.worker_daemon",
    "firesteel.spark.source.packed_reader",
    "firesteel.spark.source.values",
)


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    base = base_path(sys.path, os.environ, bool(sys.flags.safe_path))
    _load()
    folder = Path(listener.getsockname()).parent
    connection = _serve(listener, folder)
    if connection is not None:
        _become(connection, base)
    shutil.rmtree(folder, ignore_errors=True)


def _load() -> None:
    """Loads the modules that forked processes need. None of them may start a thread, which would be missing after a fork."""
    import pyspark.sql.streaming.python_streaming_source_runner
    import pyspark.sql.worker.create_data_source
    import pyspark.sql.worker.plan_data_source_read  # noqa: F401

    for name in _LOADED:
        import_module(name)
    # Exclude present objects from garbage collection, or each process would get its own copy of their memory.
    gc.collect()
    gc.freeze()


def _serve(listener: socket.socket, folder: Path) -> socket.socket | None:
    """Forks for each connection. Returns the connection in a child, and None at the end."""
    wake, woken = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    with selectors.DefaultSelector() as selector:
        for source in (listener, woken, 0):
            selector.register(source, selectors.EVENT_READ)
        while True:
            _keep(folder)
            ready = [key.fileobj for key, _ in selector.select(_HOUR)]
            if 0 in ready:
                return None
            if woken in ready:
                woken.recv(1024)
                _reap()
            if listener not in ready:
                continue
            connection, _ = listener.accept()
            if os.fork() == 0:
                break
            connection.close()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for mine in (listener, wake, woken):
        mine.close()
    return connection


def _keep(folder: Path) -> None:
    """Touches the files, since systems remove files from temporary folders that nobody has touched for days."""
    with suppress(OSError):
        for path in (*folder.iterdir(), folder):
            os.utime(path)


def _reap() -> None:
    """Collects children that have ended, whose CPU time is then added to ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(connection: socket.socket, base: Sequence[str]) -> None:
    """Runs the module that was asked for, as `python -m` would, and exits. The connection stays open until then."""
    head, files, _, _ = socket.recv_fds(connection, 4, 3)
    with connection.makefile("rb") as rest:
        (option, module, *words), environment, folder = marshal.loads(rest.read(int.from_bytes(head, "big")))
    if option != "-m":
        # The client starts Python itself if its request is not accepted.
        os._exit(1)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *words]
    sys.path[:] = process_path(base, folder, os.environ, bool(sys.flags.safe_path))
    # Write output at once, since the process may be killed at any time.
    sys.stdout.reconfigure(write_through=True)  # type: ignore[union-attr]
    connection.sendall(ACCEPTED)
    status = _run(module)
    with suppress(OSError):
        connection.sendall(bytes([status & 255]))
    os._exit(status)


def _run(module: str) -> int:
    try:
        with warnings.catch_warnings():
            # The module is loaded already, which `runpy` warns about.
            warnings.filterwarnings("ignore", ".*found in sys.modules.*", RuntimeWarning)
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    else:
        code = 0
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


def base_path(path: Sequence[str], environment: Mapping[str, str], is_safe: bool) -> list[str]:
    """Returns the entries of a process's path other than its folder and those of PYTHONPATH.

    >>> base_path(["/here", "/mine", "/python/lib"], {"PYTHONPATH": "/mine"}, False)
    ['/python/lib']
    """
    named = set(_named(environment))
    return [entry for entry in path[0 if is_safe else 1 :] if entry not in named]


def process_path(base: Sequence[str], folder: str, environment: Mapping[str, str], is_safe: bool) -> list[str]:
    """Returns the path of a Python that is started in that folder. In safe mode the folder comes last: a file there
    with the name of a standard module does not replace it.

    >>> process_path(["/python/lib"], "/there", {"PYTHONPATH": "/yours:/mine"}, False)
    ['/there', '/yours', '/mine', '/python/lib']
    >>> process_path(["/python/lib"], "/there", {"PYTHONPATH": "/yours"}, True)
    ['/yours', '/python/lib', '/there']
    """
    named = _named(environment)
    return list(dict.fromkeys([*named, *base, folder] if is_safe else [folder, *named, *base]))


def _named(environment: Mapping[str, str]) -> list[str]:
    return [os.path.abspath(entry) for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]  # noqa: PTH100


if __name__ == "__main__":
    main()
