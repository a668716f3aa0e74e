-- Two windows joined with FULL JOIN: what finds no partner comes alone.
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
SELECT COALESCE(l.window_start, r.window_start), COALESCE(l.window_end, r.window_end), COALESCE(l.k, '-'), COALESCE(r.v, 0)
FROM (SELECT *
FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE k = 'a') l
FULL JOIN (SELECT *
FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE k = 'b') r
ON l.window_start = r.window_start AND l.window_end = r.window_end AND r.v < 7;
