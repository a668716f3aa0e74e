CREATE TABLE src (
  id INT, k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE VIEW v1 (a, b, c) AS SELECT id, k, v FROM src;
CREATE TEMPORARY VIEW v2 AS SELECT b, SUM(c) AS s, COUNT(*) AS n FROM v1 WHERE b IS NOT NULL GROUP BY b;
CREATE VIEW v3 (grp, avg_) AS SELECT b, s / n FROM v2 WHERE n >= 1;
CREATE TABLE snk (
  g STRING, av BIGINT, top INT, PRIMARY KEY (g) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT v3.grp, v3.avg_, m.top FROM v3 JOIN (SELECT b, MAX(c) AS top FROM v1 GROUP BY b) AS m ON v3.grp = m.b;
