"""Reads Kafka's partitions into Arrow batches, on librdkafka, in Spark's Python workers.

The offset's form is that of `spark/source/source_reader.py`; its `topics` are Kafka's ids of the topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import pyarrow as pa
from confluent_kafka import Message
from pyspark.sql.datasource import InputPartition

from firesteel.changelog.hidden import REJECT
from firesteel.connectors.kafka.read.reader import read_stretches
from firesteel.connectors.kafka.write.bad_record import Stage
from firesteel.connectors.position import from_json, to_json
from firesteel.connectors.staged_range import StagedRange
from firesteel.errors import JobError
from firesteel.formats.codec import Reject
from firesteel.spark.connector.kafka.offset_planner import OffsetPlanner
from firesteel.spark.connector.kafka.offset_range import Range, Ranges, deal
from firesteel.spark.connector.kafka.read_spec import ReadSpec
from firesteel.spark.source.event_time import event_time_columns
from firesteel.spark.source.hidden import append_hidden
from firesteel.spark.source.reject import refused, render_reject
from firesteel.spark.source.source_reader import SourceReader
from firesteel.spark.source.tally import Tally


class KafkaStreamReader(SourceReader):
    """The driver's side plans offsets (`offset_planner.py`); `read_rows` runs in the workers, which share nothing with it."""

    def __init__(self, spec: ReadSpec) -> None:
        super().__init__(spec.rows)
        self.spec = spec
        self._planner = OffsetPlanner(spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return KafkaStreamReader, (self.spec,)

    # -- offsets ---------------------------------------------------------------------------------------------------

    def first_offset(self) -> dict[str, Any]:
        return self._planner.first_offset()

    def next_offset(self, start: dict[str, Any]) -> dict[str, Any]:
        return self._planner.next_offset(start)

    def reportLatestOffset(self) -> dict[str, Any] | None:
        return {"positions": to_json(self._planner.latest)} if self._planner.latest else None

    def row_partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        begins = from_json(start["positions"]) | from_json(end["begins"])
        ranges = [
            Range(topic, number, begins[topic, number], offset, end["sequence"], start.get("mark"))
            for (topic, number), offset in from_json(end["positions"]).items()
            if offset > begins[topic, number]
        ]
        return [Ranges(part) for part in deal(ranges, self.rows.tasks)]

    # -- reading ---------------------------------------------------------------------------------------------------

    def read_rows(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Ranges)
        if self.spec.warm_up is not None:
            self.spec.warm_up()
        blocks = read_stretches(self.spec.input.config, partition.ranges)
        return chain.from_iterable(map(self._read_range, partition.ranges, blocks))

    def _read_range(self, part: Range, blocks: Iterable[list[Message]]) -> Iterator[pa.RecordBatch]:
        event_time = self.rows.event_time
        channel = event_time.channel_of((part.topic, part.partition)) if event_time is not None else None
        # Not above: the process that plans offsets decodes nothing, and starts the sooner.
        from firesteel.spark.connector.kafka.record_decoder import RecordDecoder, header_list

        tolerant, hidden, passing = self.rows.columns.tolerant, self.rows.hidden, self.spec.input.header_filter
        decoder = RecordDecoder(self.spec.decoding, part.first_place if self.rows.columns.ordered else None)
        stage = None if self.spec.stage is None else Stage(self.spec.stage, self._staged(part))
        tally = Tally()
        for messages in blocks:
            if passing is not None:
                messages = [one for one in messages if passing.passes(header_list(one))]
            batch, found, empty = decoder.decode(messages)
            rejects = refused(found)
            if rejects and not tolerant:
                raise bad_record(self.rows.table, rejects[0], messages)
            if found or empty:
                tally.add(found, empty)
            if rejects and stage is not None:
                stage.add(messages, rejects)
            yield append_hidden(batch, hidden, event_time_columns(channel, part.mark, batch.num_rows))
            if rejects:
                yield self._refused(batch.schema, rejects, messages)
        if stage is not None:
            stage.close()
        tally.write(self.rows.tally, self._staged(part))

    def _staged(self, part: Range) -> StagedRange:
        return StagedRange(self.rows.number, part.sequence, part.topic, part.partition, part.start, part.end)

    def _refused(self, schema: pa.Schema, rejects: list[Reject], messages: list[Message]) -> pa.RecordBatch:
        """Makes a row for each refused record, with nothing in it but why and where."""
        empty = pa.RecordBatch.from_arrays([pa.nulls(len(rejects), field.type) for field in schema], schema=schema)
        rendered = [
            render_reject(reject, messages[reject.index].offset() or 0, place_of(messages[reject.index]))
            for reject in rejects
        ]
        return append_hidden(empty, self.rows.hidden, {REJECT: pa.array(rendered, pa.string())})


def place_of(message: Message) -> str:
    """Says where a message stands."""
    return f"topic '{message.topic()}', partition {message.partition()}, offset {message.offset()}"


def bad_record(table: str, reject: Reject, messages: list[Message]) -> JobError:
    """Makes the error for a record that stops the job."""
    place = place_of(messages[reject.index])
    return JobError(
        f"A record of '{table}' cannot be read: {place}: {reject.detail.rstrip('.')}.",
        hint="Mend the record or the table, or go on without such records: 'error-handling.mode' = 'ignore' counts them.",
    )
