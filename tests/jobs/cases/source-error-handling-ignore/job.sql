-- 'error-handling.mode' = 'ignore' leaves a bad record out and counts it.
CREATE TABLE src (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'error-handling.mode' = 'ignore'
);
CREATE TABLE snk (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk SELECT id, name FROM src;
