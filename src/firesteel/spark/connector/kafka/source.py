"""Opens a Kafka table to read: its options become what a worker needs, and its group gets the positions of each batch."""

from __future__ import annotations

from firesteel.catalog.connector import has_key
from firesteel.catalog.table import Table
from firesteel.changelog.kind import INSERT_ONLY
from firesteel.connectors.kafka.client.librdkafka import Role
from firesteel.connectors.kafka.group import GroupPositions, GroupReader, commit_positions
from firesteel.connectors.kafka.offset import find_partitions
from firesteel.connectors.kafka.options import (
    GROUP_ID,
    SCAN_DISCOVERY_INTERVAL,
    SCAN_HEADER_FILTER,
    SCAN_MAX_ROWS_PER_BATCH,
)
from firesteel.connectors.kafka.read.reader import consumer_for
from firesteel.connectors.kafka.start import bound, start_position
from firesteel.connectors.kafka.write.bad_record import USUAL_BYTES, DeadLetters
from firesteel.connectors.kafka.write.writer import fit_batches
from firesteel.connectors.position import Partition, Positions
from firesteel.plan.node.relation import Scan
from firesteel.spark.connector.kafka.read_spec import Decoding, Input, Pace, ReadSpec
from firesteel.spark.connector.kafka.stream_reader import KafkaStreamReader
from firesteel.spark.connector.kafka.table import client_of, dead_letter_topic, metadata_keys, subscription
from firesteel.spark.connector.port import OpenSource, WarmUp
from firesteel.spark.sink.bad_record import STAGE
from firesteel.spark.source.scan import SourcePlace
from firesteel.spark.source.source_spec import SourceSpec

#: When everything has yet to be compiled, a batch of so many rows: the first results are there sooner.
_FIRST_ROWS = 20_000


class KafkaSource(OpenSource):
    """A topic, or several, as one query reads it. `groups` are those of all sources of the job."""

    def __init__(
        self, scan: Scan, place: SourcePlace, groups: GroupPositions, bad_records: DeadLetters | None = None
    ) -> None:
        self._scan = scan
        self._place = place
        self._groups = groups
        self._bad_records = bad_records
        self.input = bind_input(scan.table)
        self._reader = GroupReader(place.query, place.number, self.input.config, self.input.subscription)
        self._has_group = scan.table.options.get(GROUP_ID) is not None

    @property
    def number(self) -> int:
        return self._place.number

    @property
    def bad_records(self) -> DeadLetters | None:
        return self._bad_records

    def partitions(self) -> list[Partition]:
        return find_partitions(consumer_for(self.input.config), self.input.subscription)

    def make_reader(self, spec: SourceSpec, warm_up: WarmUp | None) -> KafkaStreamReader:
        stage = self._place.checkpoint.child(STAGE) if dead_letter_topic(self._scan.table) else None
        pace = bind_pace(self._scan.table, cold=self._place.cold)
        return KafkaStreamReader(
            ReadSpec(spec, self.input, bind_decoding(self._scan), pace, stage, warm_up, self._place.kept)
        )

    @property
    def has_group_of_its_own(self) -> bool:
        """Checks that it has a group whose offsets no other source of the job commits."""
        return self._has_group and self._groups.is_alone(self._reader)

    def resume(self, positions: Positions) -> None:
        """Notes where the query stood when it was stopped: another one that reads with the same group may be ahead."""
        if self._has_group:
            self._groups.note(self._reader, positions)

    def commit(self, positions: Positions) -> None:
        if self._has_group:
            commit_positions(self.input.config, self._groups.note(self._reader, positions))


def bind_input(table: Table) -> Input:
    options = table.options
    return Input(
        client_of(table, Role.CONSUMER),
        subscription(table),
        start_position(table.connector, options),
        bound(options),
        options.get(SCAN_HEADER_FILTER),
    )


def bind_decoding(scan: Scan) -> Decoding:
    keys = metadata_keys(scan.table, written=False)
    return Decoding(
        scan.table.value_format,
        scan.table.key_format,
        scan.fields,
        {field.name: keys[field.name] for field in scan.fields if field.name in keys},
        changes=scan.changelog != INSERT_ONLY,
        upsert=has_key(scan.table),
    )


def bind_pace(table: Table, *, cold: bool) -> Pace:
    """Says how much a batch reads. `cold`: Spark has just been started."""
    most = table.options.get(SCAN_MAX_ROWS_PER_BATCH) or 1
    interval = table.options.get(SCAN_DISCOVERY_INTERVAL)
    return Pace(most, min(_FIRST_ROWS, most) if cold else most, interval.total_seconds() if interval else 0.0)


def bind_bad_records(table: Table, number: int, job: str, most_bytes: int | None = None) -> DeadLetters | None:
    """Says where the table's bad records go, if they go anywhere. `most_bytes`: the largest message that the topic takes."""
    topic = dead_letter_topic(table)
    if topic is None:
        return None
    config = fit_batches(client_of(table, Role.PRODUCER), most_bytes)
    return DeadLetters(number, table.name, job, topic, config, most_bytes or USUAL_BYTES)
