-- Windows on the state engine above operators of Spark's that keep rows until their time has come: none is late for that.
CREATE TABLE src (
  k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json',
  'scan.max-rows-per-batch' = '3'
);
CREATE TABLE cascade (
  s TIMESTAMP(3), l STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:cascade}',
  'format' = 'json'
);
CREATE TABLE joined (
  s TIMESTAMP(3), l STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:joined}',
  'format' = 'json'
);
INSERT INTO cascade SELECT window_start, CAST(CARDINALITY(ARRAY_AGG(n)) AS STRING) || ' ' || CAST(SUM(n) AS STRING) FROM TABLE(TUMBLE(TABLE (
  SELECT window_time AS rt, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time, k
), DESCRIPTOR(rt), INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
INSERT INTO joined SELECT window_start, CAST(CARDINALITY(ARRAY_AGG(v)) AS STRING) FROM TABLE(TUMBLE(TABLE (
  SELECT a.ts, b.v FROM src AS a LEFT JOIN src AS b ON a.k = b.k AND b.v > a.v AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '3' SECOND
), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
