-- Without a buffer, an upsert sink writes every change of a key, in its order.
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
  'key.format' = 'raw', 'value.format' = 'json'
);
INSERT INTO snk SELECT name, id FROM src;
