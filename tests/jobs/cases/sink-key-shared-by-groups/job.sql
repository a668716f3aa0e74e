-- Several groups have one key of the sink; the last one that changed is written.
CREATE TABLE src (
  g STRING, id BIGINT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  g STRING, id BIGINT, n BIGINT, PRIMARY KEY (g) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT g, id, COUNT(*) FROM src GROUP BY g, id HAVING COUNT(*) < 3;
