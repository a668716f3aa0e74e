-- Rows of both sides without a partner are padded; both sides are updated and deleted from in the second run.
CREATE TABLE l (
  id INT, k STRING, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:l}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE r (
  id INT, k STRING, w INT, PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:r}', 'scan.bounded.mode' = 'latest-offset',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE snk (
  id INT, v INT, rid INT, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'debezium-json'
);
INSERT INTO snk SELECT l.id, l.v, r.id, r.w FROM l FULL JOIN r ON l.k = r.k;
