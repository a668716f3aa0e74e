"""Converts between addresses and paths of folders, and recognises the addresses of this machine."""

from __future__ import annotations

import os
from pathlib import Path


def is_local(address: str) -> bool:
    """Says whether the address is of a folder on this machine.

    >>> is_local("/state"), is_local("file:///state"), is_local("s3://bucket/state")
    (True, True, False)
    """
    return "://" not in address or address.startswith("file:")


def local_path(address: str) -> Path:
    """Converts the address of a folder on this machine to its path.

    >>> str(local_path("file:///a b%")), str(local_path("file:/a")), str(local_path("state/job"))
    ('/a b%', '/a', 'state/job')
    """
    path = address.removeprefix("file:")
    return Path(path.removeprefix("//") if path.startswith("///") else path)


def local_uri(path: str | Path) -> str:
    """Converts a path to the address of a folder on this machine, whatever `fs.defaultFS` is. Hadoop expects no escapes in it.

    >>> local_uri("/state of/50%")
    'file:///state of/50%'
    """
    return f"file://{os.path.abspath(path)}"  # noqa: PTH100
