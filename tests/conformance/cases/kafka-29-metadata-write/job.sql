CREATE TABLE src (
  id INT, t TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, et TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', hd MAP<STRING,BYTES> METADATA FROM 'headers'
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id, CAST(t AS TIMESTAMP_LTZ(3)), MAP['h', CAST('hv' AS BYTES)] FROM src;
