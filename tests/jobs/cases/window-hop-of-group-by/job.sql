-- HOP in GROUP BY: each row is in every window that its time falls into.
-- 12.5 s come after 27 s; all are read in one batch, so nothing is late.
CREATE TABLE src (
  k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  s TIMESTAMP(3), e TIMESTAMP(3), k STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk
SELECT HOP_START(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), HOP_END(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), k, SUM(v)
FROM src
GROUP BY k, HOP(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND);
