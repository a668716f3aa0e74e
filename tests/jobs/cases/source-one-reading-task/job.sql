-- 'scan.parallelism' is the number of reading tasks: one task of the partitioner 'fixed' keeps to one partition.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'scan.parallelism' = '1'
);
CREATE TABLE snk (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'name', 'sink.partitioner' = 'fixed'
);
INSERT INTO snk SELECT name, id FROM src;
