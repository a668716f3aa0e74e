-- Two INSERTs into one table are one job, and each reads its source.
CREATE TABLE src (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk SELECT id, name FROM src WHERE id = 1;
INSERT INTO snk SELECT id + 10, name FROM src;
