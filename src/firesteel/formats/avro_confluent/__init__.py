"""The `avro-confluent` format: Avro whose schema is kept in a schema registry, and whose messages begin with the
schema's number.

A message is a zero byte, the schema's number in four bytes, and Avro's binary encoding. The reader's columns may differ
from the writer's: they are matched by name.
"""
