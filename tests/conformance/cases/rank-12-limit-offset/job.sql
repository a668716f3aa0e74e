CREATE TABLE src (
  k STRING, u STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, u STRING, s INT, PRIMARY KEY (k, u) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT * FROM (SELECT k, u, SUM(v) AS s FROM src GROUP BY k, u) ORDER BY s DESC, k, u LIMIT 2 OFFSET 1;
