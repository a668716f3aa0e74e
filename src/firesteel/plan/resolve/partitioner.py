"""Checks a sink's own partitioner: a Python class, which needs the operator's permission (`plan/function/python.py`)."""

from __future__ import annotations

import inspect
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from firesteel.catalog.connector import partitioner_class
from firesteel.catalog.table import Table
from firesteel.errors import Problem
from firesteel.plan.function.python import VARIABLE, PythonModules, import_module

_SHAPE = "Write a Python class with a method partition(key, value, topic, partitions)"


def check_partitioner(table: Table, modules: PythonModules) -> Problem | None:
    """Finds a mistake in the partitioner before the first batch is written. Imports nothing without permission."""
    partitioner = partitioner_class(table)
    if partitioner is None:
        return None
    span = partitioner.span
    path, module = partitioner.path, partitioner.module
    if not _is_there(module, modules.folder):
        return Problem(
            f"The partitioner is '{path}', and there is no Python module '{module}'.",
            span,
            f"{_SHAPE}, as 'module.Class', and put its module beside the script or on Python's path. A Java class cannot be"
            " used.",
        )
    if not modules.allow(module):
        return Problem(
            f"The partitioner '{path}' is Python of the module '{module}', which is not allowed to run here.",
            span,
            f"Whoever runs the job allows it with --python-functions {module}, or with {VARIABLE}={module}.",
        )
    try:
        imported = import_module(module, modules.folder)
    except Exception as error:  # the user's own code may raise anything
        text = f"{type(error).__name__}: {str(error)[:200]}"
        return Problem(f"The module '{module}' of the partitioner cannot be imported: {text}.", span)
    found = getattr(imported, partitioner.name, None)
    if found is None:
        return Problem(f"The module '{module}' has no class '{partitioner.name}'.", span, f"{_SHAPE} there.")
    if not inspect.isclass(found) or not callable(getattr(found, "partition", None)):
        return Problem(f"The partitioner '{path}' is no class with a method 'partition'.", span, f"{_SHAPE}.")
    return None


def _is_there(module: str, folder: Path | None) -> bool:
    """Looks for the module's files, without importing it: `check` runs no code that is not allowed."""
    paths: list[str] | None = None
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        try:
            spec = PathFinder.find_spec(name, paths if paths is not None else [str(folder)] if folder else None)
            if spec is None and paths is None:
                spec = find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return False
        if spec is None:
            return False
        paths = list(spec.submodule_search_locations or [])
    return True
