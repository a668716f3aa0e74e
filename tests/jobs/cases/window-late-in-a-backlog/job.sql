-- In a backlog, read one row to a batch, the watermark is no further behind than elsewhere:
-- what the first row shows is told with the second, closes windows with the third, and later rows are late.
CREATE TABLE src (
  k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'scan.max-rows-per-batch' = '1'
);
CREATE TABLE snk (
  s TIMESTAMP(3), e TIMESTAMP(3), k STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk
SELECT window_start, window_end, k, COUNT(*)
FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE v > 0
GROUP BY window_start, window_end, k;
