CREATE TABLE src (
  v BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='raw');
CREATE TABLE snk (
  v BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='raw', 'raw.endianness'='little-endian');
INSERT INTO snk SELECT * FROM src;
