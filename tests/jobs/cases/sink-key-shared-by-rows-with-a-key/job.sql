-- When the row that a key shows goes, the one before it comes back.
CREATE TABLE src (
  id BIGINT, g STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE snk (
  id BIGINT, g STRING, PRIMARY KEY (g) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT id, g FROM src;
