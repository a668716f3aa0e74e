-- Each side of a join ends by itself: the second run finds the right rows, which a hint keeps longer, and none of the left.
SET 'table.exec.state.ttl' = '3 s';
CREATE TABLE a (
  k STRING, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:a}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
);
CREATE TABLE b (
  k STRING, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:b}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
);
CREATE TABLE pairs (
  k STRING, v INT, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:pairs}',
  'format' = 'json'
);
CREATE TABLE padded (
  k STRING, v INT, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:padded}',
  'format' = 'debezium-json'
);
INSERT INTO pairs SELECT /*+ STATE_TTL('b' = '1 d') */ a.k, v, w FROM a JOIN b ON a.k = b.k;
INSERT INTO padded SELECT /*+ STATE_TTL('y' = '1 d') */ x.k, v, w FROM a AS x LEFT JOIN b AS y ON x.k = y.k;
