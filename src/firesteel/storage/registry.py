"""From an address to its folder: the one place that knows which kinds of folders there are."""

from __future__ import annotations

from firesteel.storage.address import is_local, local_path
from firesteel.storage.folder import Folder
from firesteel.storage.local import LocalFolder


def open_folder(address: str) -> Folder:
    """Raises `ValueError` for an address of a kind that is not supported yet."""
    if not is_local(address):
        raise ValueError(f"'{address}' is no folder of this machine, and only these are supported yet.")
    return LocalFolder(str(local_path(address)))
