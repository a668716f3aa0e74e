CREATE TABLE src (
  k STRING, u STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  rn2 BIGINT, k STRING, u STRING, v INT, PRIMARY KEY (rn2) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT rn2, k, u, v FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY v DESC, u) AS rn2 FROM (SELECT k, u, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC, u) AS rn FROM src) WHERE rn <= 2)) WHERE rn2 <= 3;
