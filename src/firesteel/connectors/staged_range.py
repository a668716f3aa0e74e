"""Names the files that a reading task leaves for the end of its batch, one for each offset range that it reads.

A range of offsets has the same file however often its task or its batch runs. The files of a batch are taken when it is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.storage.folder import Folder

#: The suffix of the files with bad records.
BAD_RECORDS = "arrow"


@dataclass(frozen=True)
class StagedRange:
    """An offset range of one partition: `source` is the table's number among those the query reads, `sequence` that of its batch."""

    source: int
    sequence: int
    topic: str
    partition: int
    start: int
    end: int

    def file(self, ending: str) -> str:
        return f"{self.source}-{self.sequence}/{self.topic}-{self.partition}-{self.start}-{self.end}.{ending}"

    @classmethod
    def of(cls, name: str) -> StagedRange:
        """Reads a range from the name of its file.


        >>> StagedRange.of("0-7/my-topic-3-100-200.arrow")
        StagedRange(source=0, sequence=7, topic='my-topic', partition=3, start=100, end=200)
        """
        stage, _, file = name.partition("/")
        source, sequence = stage.split("-")
        topic, partition, start, end = file.rpartition(".")[0].rsplit("-", 3)
        return cls(int(source), int(sequence), topic, int(partition), int(start), int(end))


def staged_ranges(folder: Folder, sequences: Mapping[int, int], ending: str = BAD_RECORDS) -> tuple[StagedRange, ...]:
    """Lists the staged ranges of these sources at these sequences, in the order of their offsets."""
    found = [
        StagedRange.of(f"{stage}/{name}")
        for stage in (f"{source}-{sequence}" for source, sequence in sequences.items())
        for name in folder.child(stage).list()
        if name.endswith(f".{ending}")
    ]
    return tuple(sorted(found, key=lambda one: (one.source, one.topic, one.partition, one.start)))


def remove_staged(folder: Folder, sequences: Mapping[int, int]) -> None:
    """Removes the files staged up to these sequences. A file that cannot be removed now is removed after a later batch."""
    for stage in folder.list():
        source, _, sequence = stage.partition("-")
        if source.isdecimal() and sequence.isdecimal() and int(sequence) <= sequences.get(int(source), -1):
            folder.delete(stage)
