"""Partitioners as users write them; Spark's workers import this module."""

from __future__ import annotations


class ByLength:
    """By the length of the key: something no built-in partitioner does."""

    def partition(self, key: bytes | None, value: bytes | None, topic: str, partitions: list[int]) -> int:
        return partitions[len(key or b"") % len(partitions)]


class Astray:
    def partition(self, key: bytes | None, value: bytes | None, topic: str, partitions: list[int]) -> int:
        return 99


class NoPartitioner:
    pass
