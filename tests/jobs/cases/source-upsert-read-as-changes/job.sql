-- An upsert topic read again: each new value takes the old one back.
CREATE TABLE counts (
  name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:counts}', 'scan.bounded.mode' = 'latest-offset',
  'key.format' = 'raw', 'value.format' = 'json'
);
CREATE TABLE changes (
  name STRING, id BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:changes}',
  'format' = 'debezium-json'
);
INSERT INTO changes SELECT name, id FROM counts WHERE name = 'good';
