CREATE TABLE src (
  id INT, k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='debezium-json');
CREATE TABLE snk (
  k STRING, cd BIGINT, sd INT, cf BIGINT, c2 BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, COUNT(DISTINCT v), SUM(DISTINCT v), COUNT(DISTINCT v) FILTER (WHERE id > 2), COUNT(DISTINCT (v / 5)) FROM src GROUP BY k;
