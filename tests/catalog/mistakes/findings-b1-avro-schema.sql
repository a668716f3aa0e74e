-- declared
CREATE TABLE s (id BIGINT, name STRING, r ROW<a INT, at_ TIMESTAMP(3)>, l ARRAY<INT>) WITH (
  'connector.type' = 'kafka', 'connector.topic' = 't', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro',
  'format.avro-schema' = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": ["null", "string"]},
    {"name": "r", "type": {"type": "record", "name": "x", "fields": [{"name": "a", "type": "int"}, {"name": "t", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}},
    {"name": "l", "type": {"type": "array", "items": "int"}}]}');
CREATE TABLE t (id BIGINT, name STRING, l ARRAY<INT>) WITH (
  'connector.type' = 'kafka', 'connector.topic' = 't', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro',
  'format.avro-schema' = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": ["string", "null"]},
    {"name": "b", "type": ["null", "int"]}, {"name": "c", "type": {"type": "array", "items": "long"}}]}');
CREATE TABLE u (id BIGINT) WITH (
  'connector.type' = 'kafka', 'connector.topic' = 't', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro',
  'format.avro-schema' = '{"type": "string"}');
