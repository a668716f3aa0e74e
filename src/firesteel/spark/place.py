"""What a job is called, and where its state and its log are."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from firesteel.catalog.connector import place_names
from firesteel.errors import TEXT_NAME, UsageError
from firesteel.options.setting import CHECKPOINTING_DIR, PIPELINE_NAME
from firesteel.plan.analyze import Analysis
from firesteel.plan.show.fingerprint import render_state


def job_name(analysis: Analysis, name: str | None) -> str:
    chosen = name or analysis.setting(PIPELINE_NAME)
    if chosen:
        return chosen
    if analysis.source.name == TEXT_NAME:
        return _text_name(analysis)
    return Path(analysis.source.name).stem or "job"


def _text_name(analysis: Analysis) -> str:
    """Text has no name, so its plans make one: what is changed in a notebook's cell is another job, with a state of its own."""
    plans = "\n".join(
        f"{render_state(sink)} into {sink.table.name} of {', '.join(place_names(sink.table))}"
        for sink in analysis.sinks
    )
    return f"{TEXT_NAME}-{hashlib.sha256(plans.encode()).hexdigest()[:8]}"


def spark_settings(analysis: Analysis) -> dict[str, str]:
    """Gives the settings of a script that are for Spark itself."""
    return {key: str(value) for key, value in analysis.catalog.settings.items() if key.startswith("spark.")}


def state_folder(analysis: Analysis, folder: Path, name: str) -> Path:
    """Finds the folder of a job's state. `folder` is where the script is."""
    chosen = analysis.setting(CHECKPOINTING_DIR)
    if chosen is None:
        return folder / ".firesteel" / safe_name(name)
    path = chosen.removeprefix("file://")
    if "://" in path:
        raise UsageError(
            f"'execution.checkpointing.dir' is '{chosen}', and only folders are supported yet.",
            hint="Name a folder; on a cluster, one that every machine sees.",
        )
    return Path(os.path.abspath(path)) / safe_name(name)  # noqa: PTH100


def log_file(state: Path) -> Path:
    """Gives the path of Spark's log, beside the state."""
    return state.with_name(f"{state.name}.log")


def open_log(path: Path) -> int:
    """Opens the log and gives a descriptor to write it to, for processes that inherit it. What is in there already stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def safe_name(name: str) -> str:
    """Gives the name as a folder can have it."""
    return re.sub(r"[^\w.-]", "_", name).lstrip(".") or "job"
