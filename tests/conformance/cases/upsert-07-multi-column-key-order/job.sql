CREATE TABLE src (
  a INT, b STRING, c INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a INT, c BIGINT, b STRING, PRIMARY KEY (b, a) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT a, SUM(CAST(c AS BIGINT)), b FROM src GROUP BY a, b;
