"""The `avro-confluent` format: Avro whose schema is named by a number at the head of each message and kept in a schema registry.

A message is a zero byte, the schema's number in four bytes, and Avro's binary encoding. A reader may have other columns than the
writer had: they meet by their names.
"""
