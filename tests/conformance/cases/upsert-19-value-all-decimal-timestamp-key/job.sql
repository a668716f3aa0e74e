CREATE TABLE src (
  d DECIMAL(10,2), t TIMESTAMP(3), v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  d DECIMAL(10,2), t TIMESTAMP(3), s BIGINT, PRIMARY KEY (d, t) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT d, t, SUM(CAST(v AS BIGINT)) FROM src GROUP BY d, t;
