-- Windows over an upsert topic: a message replaces the row of its key, which leaves the window it was in.
CREATE TABLE src (
  id INT, moment STRING, v INT, ts AS TO_TIMESTAMP(moment), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND, PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}', 'scan.bounded.mode' = 'latest-offset',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE snk (
  s TIMESTAMP(3), n BIGINT, best INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
CREATE TABLE mixed (
  s TIMESTAMP(3), n BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:mixed}',
  'format' = 'debezium-json'
);
INSERT INTO snk SELECT window_start, COUNT(*), MAX(v)
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
INSERT INTO mixed SELECT window_start, COUNT(*)
  FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end
  UNION ALL SELECT CAST(NULL AS TIMESTAMP(3)), COUNT(*) FROM src;
