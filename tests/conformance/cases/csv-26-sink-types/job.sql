CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  i INT, l BIGINT, f FLOAT, d DOUBLE, dc DECIMAL(10,3), b BOOLEAN, dt DATE, t TIME(3), ts TIMESTAMP(3), z TIMESTAMP_LTZ(3), bn BYTES, n STRING, ni INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='csv');
INSERT INTO snk SELECT 1, 2, CAST(1.5 AS FLOAT), CAST(1e10 AS DOUBLE), CAST(100000 AS DECIMAL(10,3)), TRUE, DATE '2018-10-12', TIME '12:12:12', TIMESTAMP '2018-10-12 12:12:12.120', CAST(TIMESTAMP '1970-01-01 00:02:03.456' AS TIMESTAMP_LTZ(3)), x'6B030B', CAST(NULL AS STRING), CAST(NULL AS INT) FROM src;
