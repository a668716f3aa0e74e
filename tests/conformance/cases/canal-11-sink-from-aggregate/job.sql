CREATE TABLE src (
  k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, c BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='canal-json');
INSERT INTO snk SELECT k, COUNT(*) FROM src GROUP BY k HAVING COUNT(*) > 1;
