CREATE TABLE src (
  k STRING, i INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, a INT, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, AVG(i) FROM src GROUP BY k;
