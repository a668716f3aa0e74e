CREATE TABLE src (
  k STRING, u STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, u STRING, s INT, c BIGINT, gk BIGINT, gu BIGINT, gi BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='debezium-json');
INSERT INTO snk SELECT k, u, SUM(v), COUNT(*), GROUPING(k), GROUPING(u), GROUPING_ID(k, u) FROM src GROUP BY GROUPING SETS ((k, u), (k), ());
