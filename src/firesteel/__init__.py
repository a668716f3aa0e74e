"""Firesteel runs Flink SQL jobs between Kafka topics, unchanged, on Spark Structured Streaming."""
