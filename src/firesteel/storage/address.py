"""Addresses of folders: which are of this machine, and how paths and addresses become each other."""

from __future__ import annotations

import os
from pathlib import Path


def is_local(address: str) -> bool:
    """
    >>> is_local("/state"), is_local("file:///state"), is_local("s3://bucket/state")
    (True, True, False)
    """
    return "://" not in address or address.startswith("file:")


def local_path(address: str) -> Path:
    """
    >>> str(local_path("file:///a b%")), str(local_path("file:/a")), str(local_path("state/job"))
    ('/a b%', '/a', 'state/job')
    """
    path = address.removeprefix("file:")
    return Path(path.removeprefix("//") if path.startswith("///") else path)


def local_uri(path: str | Path) -> str:
    """The address of a folder of this machine, whatever `fs.defaultFS` says. Hadoop reads the text as it stands: there is nothing
    to escape.

    >>> local_uri("/state of/50%")
    'file:///state of/50%'
    """
    return f"file://{os.path.abspath(path)}"  # noqa: PTH100
