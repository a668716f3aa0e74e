-- A value that is read otherwise than it stands is counted, and so is what holds no row, with 'error-handling.mode' = 'fail' (findings A10, D14).
CREATE TABLE src (
  id BIGINT, d DECIMAL(3, 1)
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'error-handling.mode' = 'fail'
);
CREATE TABLE snk (
  id BIGINT, d DECIMAL(3, 1)
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk SELECT id, d FROM src;
