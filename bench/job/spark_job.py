"""The workloads as a Spark user writes them: the JVM's Kafka source, `from_json`, `from_csv`. Runs in its own environment."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

SCHEMA = "user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP_NTZ, user_region STRING"
#: What Flink derives from the sink's columns.
COUNTS = json.dumps(
    {
        "type": "record",
        "name": "record",
        "namespace": "org.apache.flink.avro.generated",
        "fields": [
            {"name": "user_region", "type": "string"},
            {"name": "pv", "type": ["null", "long"]},
            {"name": "uv", "type": ["null", "long"]},
        ],
    }
)
KEY = json.dumps({"type": "record", "name": "record", "fields": [{"name": "user_region", "type": "string"}]})


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
        print(f"begin {number}", flush=True)
        rows = (
            session.readStream.format("kafka")
            .option("kafka.bootstrap.servers", order["bootstrap"])
            .option("subscribe", order["source"])
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", "1000000")
            .load()
        )
        query = _reference(rows) if order["workload"] == "reference" else _passed(rows, order["workload"])
        writer = (
            query.writeStream.format("kafka")
            .option("kafka.bootstrap.servers", order["bootstrap"])
            .option("topic", sink)
            .option("checkpointLocation", f"{order['folder']}/spark-{number}")
            .outputMode("update")
            .trigger(availableNow=True)
        )
        writer.start().awaitTermination()
        print(f"end {number}", flush=True)
    os._exit(0)


def _reference(rows: Any) -> Any:
    """The source is read once: both branches start at the same exchange."""
    from pyspark.sql import functions as F
    from pyspark.sql.avro.functions import to_avro

    parsed = rows.select(F.from_json(F.col("value").cast("string"), "user_id BIGINT, user_region STRING").alias("r"))
    views = parsed.select("r.user_region", "r.user_id").repartition(2, "user_region", "user_id")
    every = views.select("user_region", "user_id", F.lit(1).alias("pv"), F.lit(0).alias("uv"))
    first = views.dropDuplicates(["user_region", "user_id"]).select(
        "user_region", "user_id", F.lit(0).alias("pv"), F.lit(1).alias("uv")
    )
    counted = every.union(first).groupBy("user_region").agg(F.sum("pv").alias("pv"), F.sum("uv").alias("uv"))
    return counted.select(
        to_avro(F.struct("user_region"), KEY).alias("key"),
        to_avro(F.struct("user_region", "pv", "uv"), COUNTS).alias("value"),
    )


def _passed(rows: Any, workload: str) -> Any:
    from pyspark.sql import functions as F

    text = F.col("value").cast("string")
    parse = F.from_csv(text, SCHEMA) if workload == "csv" else F.from_json(text, SCHEMA)
    kept = rows.select(parse.alias("r")).where("r.page_id <= 2500").select("r.user_id", "r.user_region", "r.viewtime")
    return kept.select(
        F.to_json(
            F.struct("user_id", "user_region", "viewtime"), {"timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSS"}
        ).alias("value")
    )


if __name__ == "__main__":
    main()
