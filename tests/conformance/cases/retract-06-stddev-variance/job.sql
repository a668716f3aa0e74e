CREATE TABLE src (
  id INT, k STRING, x DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='debezium-json');
CREATE TABLE snk (
  k STRING, sp DOUBLE, ss DOUBLE, vp DOUBLE, vs DOUBLE, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, ROUND(STDDEV_POP(x), 6), ROUND(STDDEV_SAMP(x), 6), ROUND(VAR_POP(x), 6), ROUND(VAR_SAMP(x), 6) FROM src GROUP BY k;
