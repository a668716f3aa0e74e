"""Finds the cache folder: Kafka's jars, the development broker's data, archives that shorten Spark's start."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Returns FIRESTEEL_CACHE, else the folder firesteel in XDG_CACHE_HOME, else in ~/.cache. It need not exist yet."""
    chosen = os.environ.get("FIRESTEEL_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    parent = os.environ.get("XDG_CACHE_HOME")
    return (Path(parent) if parent else Path.home() / ".cache") / "firesteel"
