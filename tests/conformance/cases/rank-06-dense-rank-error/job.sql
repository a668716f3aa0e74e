CREATE TABLE src (
  k STRING, u STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, rn BIGINT, v INT, PRIMARY KEY (k, rn) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, rn, v FROM (SELECT *, DENSE_RANK() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM src) WHERE rn <= 2;
