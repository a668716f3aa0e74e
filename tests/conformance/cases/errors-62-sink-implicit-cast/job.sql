CREATE TABLE src (
  i INT, f FLOAT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  i BIGINT, f DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT i, f FROM src;
