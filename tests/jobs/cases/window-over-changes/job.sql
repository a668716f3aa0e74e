-- Windows over rows that change: an update moves a row to another window, and a window that becomes empty is not answered.
CREATE TABLE src (
  id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE tumble (
  s TIMESTAMP(3), k STRING, n BIGINT, total INT, least INT, best INT, d BIGINT, l STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:tumble}',
  'format' = 'json'
);
CREATE TABLE hop (
  s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:hop}',
  'format' = 'json'
);
CREATE TABLE cumulate (
  s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:cumulate}',
  'format' = 'json'
);
CREATE TABLE legacy (
  s TIMESTAMP(3), t TIMESTAMP(3), k STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:legacy}',
  'format' = 'json'
);
CREATE TABLE wider (
  s TIMESTAMP(3), windows BIGINT, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:wider}',
  'format' = 'json'
);
CREATE TABLE best (
  s TIMESTAMP(3), k STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:best}',
  'format' = 'json'
);
CREATE TABLE per_key (
  k STRING, windows BIGINT, best BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:per_key}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE VIEW w10 AS SELECT window_start, window_end, window_time AS rt, k, COUNT(*) AS n
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time, k;
INSERT INTO tumble SELECT window_start, k, COUNT(*), SUM(v), MIN(v), MAX(v), COUNT(DISTINCT v), LISTAGG(CAST(id AS STRING))
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE v > 0 GROUP BY window_start, window_end, k;
INSERT INTO hop SELECT window_start, window_end, COUNT(*)
  FROM TABLE(HOP(TABLE src, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
INSERT INTO cumulate SELECT window_start, window_end, COUNT(*)
  FROM TABLE(CUMULATE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
INSERT INTO legacy SELECT TUMBLE_START(ts, INTERVAL '10' SECOND), TUMBLE_ROWTIME(ts, INTERVAL '10' SECOND), k, COUNT(*)
  FROM src GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND) HAVING COUNT(*) > 1;
INSERT INTO wider SELECT window_start, COUNT(*), SUM(n)
  FROM TABLE(TUMBLE(TABLE (SELECT rt, n FROM w10), DESCRIPTOR(rt), INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
INSERT INTO best SELECT window_start, k, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS place FROM w10
) WHERE place = 1;
INSERT INTO per_key SELECT k, COUNT(*), MAX(n) FROM w10 GROUP BY k;
