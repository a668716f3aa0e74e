"""The `avro` format: one record per message in Avro's binary or JSON encoding, both directions, without a schema on the wire."""
