CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a INT, b BIGINT, c DECIMAL(10,2), d DOUBLE, e STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT 1, 3000000000, 1.25, 1.5e0, CAST(1 AS STRING) || CAST(1.50 AS STRING) FROM src;
