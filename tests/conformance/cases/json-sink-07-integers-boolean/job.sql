CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a TINYINT, b SMALLINT, c INT, d BIGINT, e BOOLEAN, f BOOLEAN
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT CAST(-128 AS TINYINT), CAST(32767 AS SMALLINT), 0, CAST(9223372036854775807 AS BIGINT), TRUE, CAST(NULL AS BOOLEAN) FROM src;
