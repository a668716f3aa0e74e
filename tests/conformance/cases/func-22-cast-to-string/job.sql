CREATE TABLE src (
  id INT, x DOUBLE, t TIMESTAMP(3), s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, d STRING, f STRING, fd DOUBLE, dc STRING, t STRING, ti STRING, dt STRING, ar STRING, r STRING, m STRING, bb STRING, dts TIMESTAMP(3), ts0 TIMESTAMP(0), tt TIME
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  CAST(x AS STRING),
  CAST(CAST(x AS FLOAT) AS STRING),
  CAST(CAST(x AS FLOAT) AS DOUBLE),
  CAST(CAST(x AS DECIMAL(10, 3)) AS STRING),
  CAST(t AS STRING),
  CAST(CAST(t AS TIME) AS STRING),
  CAST(CAST(t AS DATE) AS STRING),
  CAST(ARRAY[x, NULL] AS STRING),
  CAST(ROW(id, s, t) AS STRING),
  CAST(MAP[s, id] AS STRING),
  CAST(CAST(s AS BYTES) AS STRING),
  CAST(CAST(t AS DATE) AS TIMESTAMP(3)),
  CAST(t AS TIMESTAMP(0)),
  CAST(t AS TIME)
FROM src;
