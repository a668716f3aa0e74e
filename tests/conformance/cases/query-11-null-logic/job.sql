CREATE TABLE src (
  a INT, b INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  e BOOLEAN, n BOOLEAN, c INT, nl INT, i BOOLEAN, g BOOLEAN
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT a = b, a IS NOT DISTINCT FROM b, COALESCE(a, b, -1), NULLIF(a, b), a IN (1, 2), NOT (a > b) FROM src;
