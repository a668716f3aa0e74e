-- QUALIFY keeps the row with the highest id of each name (finding B8).
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
INSERT INTO snk
SELECT name, id FROM src QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY id DESC) = 1;
