-- A change that stands twice in the topic counts once; a delete of what never was is nothing.
-- An update that changes the key takes the old row away.
SET 'table.exec.source.cdc-events-duplicate' = 'true';
CREATE TABLE src (
  id BIGINT, g STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE snk (
  g STRING, n BIGINT, PRIMARY KEY (g) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT g, COUNT(*) FROM src GROUP BY g;
