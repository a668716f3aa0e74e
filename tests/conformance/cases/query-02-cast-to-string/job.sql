CREATE TABLE src (
  i INT, d DOUBLE, f FLOAT, dc DECIMAL(10,2), b BOOLEAN, t TIMESTAMP(3), dt DATE, tm TIME, r ROW<a INT, s STRING>, ar ARRAY<INT>, m MAP<STRING,INT>, bn BYTES
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  i STRING, d STRING, f STRING, dc STRING, b STRING, t STRING, dt STRING, tm STRING, r STRING, ar STRING, m STRING, bs STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT CAST(i AS STRING), CAST(d AS STRING), CAST(f AS STRING), CAST(dc AS STRING), CAST(b AS STRING), CAST(t AS STRING), CAST(dt AS STRING), CAST(tm AS STRING), CAST(r AS STRING), CAST(ar AS STRING), CAST(m AS STRING), CAST(bn AS STRING) FROM src;
