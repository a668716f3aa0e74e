-- 'scan.max-rows-per-batch' limits a batch, not the job.
CREATE TABLE src (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'scan.max-rows-per-batch' = '4'
);
CREATE TABLE snk (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json'
);
INSERT INTO snk SELECT id, name FROM src;
