-- declared
CREATE TABLE s (id BIGINT NOT NULL, name STRING) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro',
  'format.avro-schema' = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": ["null", "string"]}]}');
CREATE TABLE t (id BIGINT, name STRING) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro',
  'format.avro-schema' = '{"type": "record", "name": "r", "fields": [{"name": "a", "type": "long"}, {"name": "b", "type": ["null", "int"]}]}');
CREATE TABLE u (id BIGINT) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'b:9092', 'format.type' = 'avro', 'format.avro-schema' = '{"type": "string"}');
