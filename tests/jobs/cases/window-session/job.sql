-- A session ends where a key has no row for more than 6 s; the row exactly 6 s later still belongs to it.
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
SELECT window_start, window_end, k, COUNT(*)
FROM TABLE(SESSION(TABLE src PARTITION BY k, DESCRIPTOR(ts), INTERVAL '6' SECOND))
GROUP BY window_start, window_end, k;
