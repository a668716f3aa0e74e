-- A group that HAVING lets through no more is deleted.
CREATE TABLE src (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  name STRING, n INT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT name, MIN(id) FROM src GROUP BY name HAVING MIN(id) > 1;
