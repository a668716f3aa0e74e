CREATE TABLE src (
  z TIMESTAMP_LTZ(3), t TIMESTAMP(3), u TIMESTAMP(6)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  z TIMESTAMP_LTZ(3), t TIMESTAMP(3), u TIMESTAMP(6)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='avro', 'avro.timestamp_mapping.legacy'='false');
INSERT INTO snk SELECT * FROM src;
