"""From an address to its folder: `open_folder` is the one place that knows which kinds there are."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from firesteel.storage.folder import Folder
from firesteel.storage.local import LocalFolder


def is_local(address: str) -> bool:
    """
    >>> is_local("/state"), is_local("file:///state"), is_local("s3://bucket/state")
    (True, True, False)
    """
    return "://" not in address or address.startswith("file:")


def local_path(address: str) -> Path:
    """
    >>> str(local_path("file:///a%20b")), str(local_path("state/job"))
    ('/a b', 'state/job')
    """
    return Path(unquote(urlsplit(address).path)) if address.startswith("file:") else Path(address)


def open_folder(address: str) -> Folder:
    """Raises `ValueError` for an address of a kind that is not supported yet."""
    if not is_local(address):
        raise ValueError(f"'{address}' is no folder of this machine, and only these are supported yet.")
    return LocalFolder(str(local_path(address)))
