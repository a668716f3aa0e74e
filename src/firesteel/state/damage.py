"""What is wrong with stored state: a piece that is damaged or missing, a format of another version."""

from __future__ import annotations

from firesteel.errors import JobError


class DamagedState(JobError):
    """Stored state is not what was written. Going on would give wrong answers."""


class ForeignFormat(JobError):
    """Stored state has a format that this version cannot read."""
