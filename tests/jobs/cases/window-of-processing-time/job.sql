-- Windows of processing time: those that are open when a bounded job ends are answered when it goes on, as in Flink.
CREATE TABLE src (
  k STRING, v INT, pt AS PROCTIME()
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE ups (
  id INT, v INT, pt AS PROCTIME()
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:ups}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE snk (
  k STRING, n BIGINT, total INT, aligned BOOLEAN
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
CREATE TABLE legacy (
  n BIGINT, seconds BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:legacy}',
  'format' = 'json'
);
CREATE TABLE changed (
  n BIGINT, total INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:changed}',
  'format' = 'json'
);
CREATE TABLE per_key (
  k STRING, windows BIGINT, best BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:per_key}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT k, COUNT(*), SUM(v), window_start <= LOCALTIMESTAMP AND window_end = window_start + INTERVAL '1' SECOND
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(pt), INTERVAL '1' SECOND)) GROUP BY window_start, window_end, k;
INSERT INTO legacy SELECT COUNT(*), TIMESTAMPDIFF(SECOND, TUMBLE_START(pt, INTERVAL '2' SECOND), TUMBLE_END(pt, INTERVAL '2' SECOND))
  FROM src GROUP BY TUMBLE(pt, INTERVAL '2' SECOND);
INSERT INTO changed SELECT COUNT(*), SUM(v)
  FROM TABLE(TUMBLE(TABLE ups, DESCRIPTOR(pt), INTERVAL '1' SECOND)) GROUP BY window_start, window_end;
INSERT INTO per_key SELECT k, COUNT(*), MAX(n) FROM (
  SELECT k, COUNT(*) AS n FROM TABLE(HOP(TABLE src, DESCRIPTOR(pt), INTERVAL '1' SECOND, INTERVAL '2' SECOND)) GROUP BY window_start, window_end, k
) GROUP BY k;
