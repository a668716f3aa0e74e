CREATE TABLE src (
  k STRING, i INT, l BIGINT, dc DECIMAL(10,2), f FLOAT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, si INT, sl BIGINT, sdc DECIMAL(38,2), adc DECIMAL(38,6), sf FLOAT, ai INT, sd DOUBLE, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, SUM(i), SUM(l), SUM(dc), AVG(dc), SUM(f), AVG(i), CAST(STDDEV_POP(i) AS DOUBLE) FROM src GROUP BY k;
