-- Words counted one by one, as Flink counts them without mini-batches.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'scan.max-rows-per-batch' = '1'
);
CREATE TABLE snk (
  name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'raw', 'value.format' = 'json'
);
INSERT INTO snk SELECT LOWER(name), COUNT(*) FROM src GROUP BY LOWER(name);
