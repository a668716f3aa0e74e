"""Opens the folder of an address; only this module knows the kinds of folders."""

from __future__ import annotations

from firesteel.storage.address import is_local, local_path
from firesteel.storage.folder import Folder
from firesteel.storage.local import LocalFolder


def open_folder(address: str) -> Folder:
    """Opens the folder of an address. Raises `ValueError` if its kind is not supported yet."""
    if not is_local(address):
        raise ValueError(f"'{address}' is no folder of this machine, and only these are supported yet.")
    return LocalFolder(str(local_path(address)))
