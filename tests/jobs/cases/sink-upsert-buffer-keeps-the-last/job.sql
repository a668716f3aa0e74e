-- With a buffer, an upsert sink writes the last change of a key.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'raw', 'value.format' = 'json', 'sink.buffer-flush.max-rows' = '100', 'sink.buffer-flush.interval' = '1 s'
);
INSERT INTO snk SELECT name, id FROM src;
