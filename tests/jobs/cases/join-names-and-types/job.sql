-- Keys are expressions and of several types, columns have names that the engine uses itself, and a time has a zone.
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE l (
  `__count` INT, `__k1` STRING, d DECIMAL(10, 2), ts TIMESTAMP_LTZ(3), many ARRAY<INT>, r ROW<x INT, y STRING>, m MAP<STRING, INT>
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:l}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE r (
  `__count` BIGINT, `__k1` STRING, d DECIMAL(12, 1), ts TIMESTAMP_LTZ(3), b BOOLEAN, t TIMESTAMP(3), dd DATE
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:r}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE snk (
  c INT, k STRING, ts TIMESTAMP_LTZ(3), many ARRAY<INT>, r ROW<x INT, y STRING>, m MAP<STRING, INT>, rc BIGINT, d DECIMAL(12, 1), rat TIMESTAMP_LTZ(3), b BOOLEAN, t TIMESTAMP(3), dt DATE
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'debezium-json', 'debezium-json.timestamp-format.standard' = 'ISO-8601'
);
INSERT INTO snk
SELECT l.`__count`, l.`__k1`, l.ts, l.many, l.r, l.m, r.`__count`, r.d, r.ts, r.b, r.t, r.dd
FROM l FULL JOIN r ON l.`__count` = r.`__count` AND UPPER(l.`__k1`) = r.`__k1` AND l.d = r.d;
