-- TUMBLE over a query with UNNEST: event time passes through it (finding B7).
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
FROM TABLE(TUMBLE(TABLE (SELECT k, x, ts FROM src
CROSS JOIN UNNEST(ARRAY[v, v + 1]) AS t (x)), DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, k;
