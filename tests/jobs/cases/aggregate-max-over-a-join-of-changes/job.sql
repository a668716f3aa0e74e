-- Rows that go and rows that come reach the aggregate from several tasks of the join, all in one batch.
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
  w INT, n BIGINT, top INT, PRIMARY KEY (w) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT COALESCE(r.w, 0), COUNT(*), MAX(l.v) FROM l LEFT JOIN r ON l.k = r.k GROUP BY COALESCE(r.w, 0);
