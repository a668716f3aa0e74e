-- 'value.fields-prefix' is in the names of the columns, and not in the messages (finding B10).
CREATE TABLE src (
  v_name STRING, v_id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'value.fields-prefix' = 'v_'
);
CREATE TABLE snk (
  k_name STRING, v_id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'k_name', 'key.fields-prefix' = 'k_', 'value.fields-include' = 'EXCEPT_KEY', 'value.fields-prefix' = 'v_'
);
INSERT INTO snk SELECT v_name, v_id FROM src;
