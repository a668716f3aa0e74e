"""The workloads as a Spark user writes them: the JVM's Kafka source, `from_json`, `from_csv`, `from_avro`. Runs in its own
environment. Spark's Kafka sink knows no exactly-once: there this is the same as without.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

SCHEMA = "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP_NTZ, user_region STRING"
#: The columns that each job reads: whoever writes one by hand names no others.
COUNTED = "user_id BIGINT, user_region STRING"
SUMMED = "before STRUCT<page_id: BIGINT, user_region: STRING>, after STRUCT<page_id: BIGINT, user_region: STRING>"
TIMED = "viewtime TIMESTAMP, user_region STRING"


def _record(**fields: Any) -> str:
    """The schema that Flink derives from a table's columns."""
    named = [{"name": name, "type": kind} for name, kind in fields.items()]
    return json.dumps(
        {"type": "record", "name": "record", "namespace": "org.apache.flink.avro.generated", "fields": named}
    )


_LONG, _TEXT = ["null", "long"], ["null", "string"]
_TIME = ["null", {"type": "long", "logicalType": "timestamp-millis"}]
KEY = _record(user_region="string")
COUNTS = _record(user_region="string", pv=_LONG, uv=_LONG)
VIEW = _record(user_id=_LONG, page_id=_LONG, viewtime=_TIME, user_region=_TEXT)
KEPT = _record(user_id=_LONG, user_region=_TEXT, viewtime=_TIME)


def main() -> None:
    from pyspark.sql import SparkSession

    order = json.loads(Path(sys.argv[1]).read_text())
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars", ",".join(order["jars"]))
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    for number, sink in enumerate(order["sinks"]):
        if number:
            sys.stdin.readline()
        print(f"begin {number}", flush=True)
        rows = (
            session.readStream.format("kafka")
            .option("kafka.bootstrap.servers", order["bootstrap"])
            .option("subscribe", order["sources"][number])
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", order["batch_rows"][number] or 1_000_000)
            .load()
        )
        writer = (
            QUERIES[order["workload"]](rows)
            .writeStream.format("kafka")
            .option("kafka.bootstrap.servers", order["bootstrap"])
            .option("topic", sink)
            .option("checkpointLocation", f"{order['folder']}/spark-{number}")
            .outputMode("append" if order["workload"] == "window" else "update")
            .trigger(availableNow=True)
        )
        writer.start().awaitTermination()
        print(f"end {number}", flush=True)
    os._exit(0)


def _reference(rows: Any) -> Any:
    """The source is read once: both branches start at the same exchange."""
    from pyspark.sql import functions as F

    parsed = rows.select(F.from_json(F.col("value").cast("string"), COUNTED).alias("r"))
    views = parsed.select("r.user_region", "r.user_id").repartition(2, "user_region", "user_id")
    every = views.select("user_region", "user_id", F.lit(1).alias("pv"), F.lit(0).alias("uv"))
    first = views.dropDuplicates(["user_region", "user_id"]).select(
        "user_region", "user_id", F.lit(0).alias("pv"), F.lit(1).alias("uv")
    )
    return _upserts(every.union(first).groupBy("user_region").agg(F.sum("pv").alias("pv"), F.sum("uv").alias("uv")))


def _sums(rows: Any) -> Any:
    """Each change takes its old row away and adds its new one."""
    from pyspark.sql import functions as F

    parsed = rows.select(F.from_json(F.col("value").cast("string"), SUMMED).alias("r"))
    old = F.struct(F.lit(-1).alias("sign"), F.col("r.before").alias("row"))
    new = F.struct(F.lit(1).alias("sign"), F.col("r.after").alias("row"))
    changes = parsed.select(F.inline(F.array(old, new))).where("row IS NOT NULL")
    summed = changes.groupBy("row.user_region").agg(
        F.sum("sign").alias("pv"), F.sum(F.col("sign") * F.col("row.page_id")).alias("uv")
    )
    return _upserts(summed)


def _upserts(counted: Any) -> Any:
    from pyspark.sql import functions as F
    from pyspark.sql.avro.functions import to_avro

    return counted.select(
        to_avro(F.struct("user_region"), KEY).alias("key"),
        to_avro(F.struct("user_region", "pv", "uv"), COUNTS).alias("value"),
    )


def _windows(rows: Any) -> Any:
    from pyspark.sql import functions as F

    parsed = rows.select(F.from_json(F.col("value").cast("string"), TIMED).alias("r")).select("r.*")
    counted = (
        parsed.withWatermark("viewtime", "2 seconds")
        .groupBy(F.window("viewtime", "1 minute"), "user_region")
        .agg(F.count("*").alias("pv"))
        .select(F.col("window.start").alias("start_time"), "user_region", "pv")
    )
    return counted.select(
        F.to_json(F.struct("start_time", "user_region", "pv"), {"timestampFormat": "yyyy-MM-dd HH:mm:ss"}).alias(
            "value"
        )
    )


def _from_json(rows: Any) -> Any:
    from pyspark.sql import functions as F

    return _as_json(_kept(rows, F.from_json(F.col("value").cast("string"), SCHEMA)))


def _from_csv(rows: Any) -> Any:
    from pyspark.sql import functions as F

    return _as_json(_kept(rows, F.from_csv(F.col("value").cast("string"), SCHEMA)))


def _from_avro(rows: Any) -> Any:
    from pyspark.sql import functions as F
    from pyspark.sql.avro.functions import from_avro, to_avro

    kept = _kept(rows, from_avro("value", VIEW))
    return kept.select(to_avro(F.struct("user_id", "user_region", "viewtime"), KEPT).alias("value"))


def _kept(rows: Any, parsed: Any) -> Any:
    found = rows.select(parsed.alias("r")).where("r.page_id <= 2500")
    return found.select("r.user_id", "r.user_region", "r.viewtime")


def _as_json(kept: Any) -> Any:
    from pyspark.sql import functions as F

    text = F.to_json(F.struct("user_id", "user_region", "viewtime"), {"timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSS"})
    return kept.select(text.alias("value"))


QUERIES = {
    "reference": _reference,
    "pass": _from_json,
    "exactly-once": _from_json,
    "avro": _from_avro,
    "csv": _from_csv,
    "debezium": _sums,
    "window": _windows,
}


if __name__ == "__main__":
    main()
