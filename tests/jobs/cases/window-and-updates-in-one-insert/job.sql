-- One INSERT updates and waits for event time: above and beside windows, sessions, Top-N of windows and interval joins.
CREATE TABLE src (
  k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE people (
  id STRING, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:people}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE above (
  k STRING, windows BIGINT, d BIGINT, best INT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:above}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE beside (
  what STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:beside}',
  'format' = 'debezium-json'
);
CREATE TABLE sessions (
  k STRING, n BIGINT, longest BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:sessions}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE winners (
  k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:winners}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE pairs (
  k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:pairs}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE last_window (
  k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:last_window}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE named (
  name STRING, n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:named}',
  'format' = 'debezium-json'
);
CREATE VIEW w10 AS SELECT window_start, window_end, window_time AS rt, k, COUNT(*) AS n, SUM(v) AS total
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time, k;
INSERT INTO above SELECT k, COUNT(*), COUNT(DISTINCT n), MAX(total) FROM w10 GROUP BY k;
INSERT INTO beside SELECT 'all ' || k, COUNT(*) FROM src GROUP BY k UNION ALL SELECT 'window ' || k, n FROM w10;
INSERT INTO sessions SELECT k, COUNT(*), MAX(n) FROM (
  SELECT k, COUNT(*) AS n FROM TABLE(SESSION(TABLE src PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end, k
) GROUP BY k;
INSERT INTO winners SELECT k, COUNT(*) FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS place FROM w10
) WHERE place = 1 GROUP BY k;
INSERT INTO pairs SELECT a.k, COUNT(*) FROM src AS a JOIN src AS b
  ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '3' SECOND GROUP BY a.k;
INSERT INTO last_window SELECT k, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY rt DESC) AS place FROM w10
) WHERE place = 1;
INSERT INTO named SELECT p.name, SUM(w.n) FROM w10 AS w LEFT JOIN people AS p ON p.id = w.k GROUP BY p.name;
