"""Says into how many tasks and buckets the state of a query is laid out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """In how many tasks an operator's state is, and into how many buckets operators of the state engine deal it."""

    tasks: int
    buckets: int
