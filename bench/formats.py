"""CPU microseconds per row of each format, in both directions, on the fast path and on the exact path.

    python bench/formats.py [--rows N] [--spark]

With `--spark`, Spark's `from_json` and `from_csv` decode the same rows in a local session, for comparison. The figures of one
run belong together; those of different machines do not.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel import types
from firesteel.formats.arrow_type import arrow_type
from firesteel.formats.bound import BoundFormat
from firesteel.formats.builtin import make_decoder, make_encoder
from firesteel.options.value import OptionValues
from firesteel.types import STRING, Field

FIELDS = (
    Field("user_id", types.BigInt()),
    Field("page_id", types.BigInt()),
    Field("viewtime", types.Timestamp(3)),
    Field("user_region", STRING),
)
TWO = ("user_id", "user_region")
WITH_TIME = (*TWO, "viewtime")
_BLOCK = 20_000
_EXACT_SHARE = 10


def bound(name: str) -> BoundFormat:
    return BoundFormat(name, OptionValues(), FIELDS, tuple(field.name for field in FIELDS))


def make_rows(count: int) -> pa.RecordBatch:
    values: list[list[Any]] = [
        [number * 7919 % 100_000 for number in range(count)],
        [number * 31 % 5_000 for number in range(count)],
        [1_600_000_000_000_000 + number * 1_000 for number in range(count)],
        [f"region_{number % 97}" for number in range(count)],
    ]
    arrays = [pa.array(column, arrow_type(field.type)) for column, field in zip(values, FIELDS, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=[field.name for field in FIELDS])


def cpu_micros(work: Callable[[], object], rows: int, repeats: int = 7) -> float:
    """The best of several runs: what else the machine does only adds."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best / rows * 1e6


@dataclass(frozen=True)
class Line:
    name: str
    length: float
    two: float
    with_time: float
    exact: float
    encode: float | None


def decode_micros(name: str, columns: Sequence[str], messages: Sequence[bytes], exact: bool = False) -> float:
    decoder: Any = make_decoder(bound(name), columns)
    decode = decoder.decode_exactly if exact else decoder.decode
    blocks = [messages[start : start + _BLOCK] for start in range(0, len(messages), _BLOCK)]

    def work() -> None:
        for block in blocks:
            decode(block)

    return cpu_micros(work, len(messages))


def measure(name: str, label: str, messages: Sequence[bytes], batch: pa.RecordBatch | None) -> Line:
    few = messages[: max(1, len(messages) // _EXACT_SHARE)]
    encode = None
    if batch is not None:
        encoder = make_encoder(bound(name))
        encode = cpu_micros(lambda: encoder.encode(batch), batch.num_rows)
    return Line(
        label,
        sum(map(len, messages)) / len(messages),
        decode_micros(name, TWO, messages),
        decode_micros(name, WITH_TIME, messages),
        decode_micros(name, WITH_TIME, few, exact=True),
        encode,
    )


def as_debezium(messages: Sequence[bytes], updates: bool) -> list[bytes]:
    """Debezium's envelope, with the source that its connectors send: about three times as long as the row."""
    envelopes = []
    for number, message in enumerate(messages):
        moment = 1_589_355_606_100 + number
        source = f'{{"version":"2.5","name":"db","ts_ms":{moment},"db":"shop","table":"views","pos":{154_000 + 317 * number}}}'
        before, word = (message.decode(), "u") if updates else ("null", "c")
        envelopes.append(
            f'{{"before":{before},"after":{message.decode()},"source":{source},"op":"{word}","ts_ms":{moment + 40}}}'.encode()
        )
    return envelopes


def as_canal(messages: Sequence[bytes], updates: bool) -> list[bytes]:
    """Canal's envelope; Canal writes every value as a string."""
    rows = [json.dumps({k: str(v) for k, v in json.loads(m).items()}, separators=(",", ":")) for m in messages]
    old = '[{"user_region":"before"}]' if updates else "null"
    kind = "UPDATE" if updates else "INSERT"
    return [
        f'{{"data":[{row}],"database":"shop","es":1589373560000,"id":9,"isDdl":false,"old":{old},"pkNames":["user_id"],'
        f'"sql":"","sqlType":{{"user_id":-5}},"table":"views","ts":1589373560798,"type":"{kind}"}}'.encode()
        for row in rows
    ]


def lines(count: int) -> Iterator[Line]:
    batch = make_rows(count)
    messages = {name: [m or b"" for m in make_encoder(bound(name)).encode(batch)] for name in ("json", "csv", "avro")}
    plain = messages["json"]
    for name, values in messages.items():
        yield measure(name, name, values, batch)
    yield measure("debezium-json", "debezium-json, inserts", as_debezium(plain, False), batch)
    yield measure("debezium-json", "debezium-json, updates", as_debezium(plain, True), None)
    yield measure("canal-json", "canal-json, inserts", as_canal(plain, False), batch)
    yield measure("canal-json", "canal-json, updates", as_canal(plain, True), None)
    for name in ("maxwell-json", "ogg-json"):
        own = [message or b"" for message in make_encoder(bound(name)).encode(batch)]
        yield measure(name, name, own, batch)


def spark_lines(count: int) -> list[tuple[str, float, float]]:
    """What `from_json` and `from_csv` need: the CPU time of the JVM, its compiler left out, without reading the text alone."""
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as F

    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    batch = make_rows(count)
    found = []
    for name in ("json", "csv"):
        texts = [(message or b"").decode() for message in make_encoder(bound(name)).encode(batch)]
        frame = session.createDataFrame(pa.table({"value": texts})).repartition(1).cache()
        frame.count()
        schema = "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP_NTZ, user_region STRING"
        parse = F.from_json("value", schema) if name == "json" else F.from_csv(F.col("value"), schema)
        parsed = frame.select(parse.alias("row"))

        def cost(query: DataFrame) -> float:
            spent = []
            for _ in range(12):
                start = _jvm_cpu(session)
                query.write.format("noop").mode("overwrite").save()
                spent.append(_jvm_cpu(session) - start)
            # The first runs are compiled as they go.
            return min(spent[4:]) / count * 1e6

        idle = cost(frame.select(F.length("value")))
        two = cost(parsed.select(*[f"row.{column}" for column in TWO])) - idle
        with_time = cost(parsed.select(*[f"row.{column}" for column in WITH_TIME])) - idle
        found.append((f"Spark's from_{name}", two, with_time))
    session.stop()
    return found


def _jvm_cpu(session: Any) -> float:
    """Seconds of CPU that the session's JVM has used, without its compiler's, which is paid only in the beginning."""
    nanos = 0
    for thread in Path(f"/proc/{session.sparkContext._gateway.proc.pid}/task").iterdir():
        try:
            if "Compiler" not in (thread / "comm").read_text():
                nanos += int((thread / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return nanos / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--spark", action="store_true")
    arguments = parser.parse_args()
    print(f"CPU µs per message, {arguments.rows} messages of four columns in blocks of {_BLOCK}, best of 7, warm\n")
    print(f"{'':24}{'bytes':>8}{'2 columns':>12}{'+ timestamp':>13}{'exact path':>12}{'encode':>9}")
    for line in lines(arguments.rows):
        encode = "" if line.encode is None else f"{line.encode:.2f}"
        print(
            f"{line.name:24}{line.length:8.0f}{line.two:12.2f}{line.with_time:13.2f}{line.exact:12.2f}{encode:>9}",
            flush=True,
        )
    if arguments.spark:
        for name, two, with_time in spark_lines(arguments.rows):
            print(f"{name:24}{'':8}{two:12.2f}{with_time:13.2f}")


if __name__ == "__main__":
    main()
