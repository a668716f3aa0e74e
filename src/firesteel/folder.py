"""Where Firesteel keeps what it can make again: Kafka's jars, the development broker's data, what makes Spark start sooner."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """FIRESTEEL_CACHE, else firesteel in XDG_CACHE_HOME, else in ~/.cache. It need not exist yet."""
    chosen = os.environ.get("FIRESTEEL_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    parent = os.environ.get("XDG_CACHE_HOME")
    return (Path(parent) if parent else Path.home() / ".cache") / "firesteel"
