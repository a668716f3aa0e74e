-- A pair arrives with the later one of its rows: here, with those of l.
CREATE TABLE l (
  id INT, k STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:l}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE r (
  id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:r}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  k STRING, a INT, z INT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT k, FIRST_VALUE(l.id), LAST_VALUE(l.id) FROM l JOIN r ON r.id = l.id GROUP BY k;
