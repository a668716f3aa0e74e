CREATE TABLE src (
  id INT, s STRING, x DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, b1 BOOLEAN, i1 INT, i2 INT, l1 BIGINT, t1 TINYINT, d1 DECIMAL(5, 2), d2 DECIMAL(4, 1), f1 DOUBLE, dt DATE, tm TIME, ts TIMESTAMP(3), lz TIMESTAMP_LTZ(3), vc VARCHAR(2), ch CHAR(4), bi INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  TRY_CAST(s AS BOOLEAN),
  TRY_CAST(s AS INT),
  TRY_CAST(x AS INT),
  TRY_CAST(x AS BIGINT),
  TRY_CAST(x AS TINYINT),
  TRY_CAST(s AS DECIMAL(5, 2)),
  TRY_CAST(x AS DECIMAL(4, 1)),
  TRY_CAST(s AS DOUBLE),
  TRY_CAST(s AS DATE),
  TRY_CAST(s AS TIME),
  TRY_CAST(s AS TIMESTAMP(3)),
  TRY_CAST(s AS TIMESTAMP_LTZ(3)),
  CAST(s AS VARCHAR(2)),
  CAST(s AS CHAR(4)),
  CAST(TRY_CAST(s AS BOOLEAN) AS INT)
FROM src;
