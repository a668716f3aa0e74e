-- Rows are a pair where the rest of ON, or of WHERE in EXISTS, holds too; both sides are updated and deleted from.
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
CREATE TABLE snk_left (
  id INT, v INT, rid INT, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:left}',
  'format' = 'debezium-json'
);
CREATE TABLE snk_full (
  id INT, v INT, rid INT, w INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:full}',
  'format' = 'debezium-json'
);
CREATE TABLE snk_semi (
  id INT, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:semi}',
  'format' = 'debezium-json'
);
CREATE TABLE snk_anti (
  id INT, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:anti}',
  'format' = 'debezium-json'
);
EXECUTE STATEMENT SET BEGIN
INSERT INTO snk_left SELECT l.id, l.v, r.id, r.w FROM l LEFT JOIN r ON l.k = r.k AND (l.v > r.w * 10 OR l.id = r.w);
INSERT INTO snk_full SELECT l.id, l.v, r.id, r.w FROM l FULL JOIN r ON l.k = r.k AND (l.v > r.w * 10 OR l.id = r.w);
INSERT INTO snk_semi SELECT id, v FROM l WHERE EXISTS (SELECT 1 FROM r WHERE l.k = r.k AND (l.v > r.w * 10 OR l.id = r.w));
INSERT INTO snk_anti SELECT id, v FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE l.k = r.k AND (l.v > r.w * 10 OR l.id = r.w));
END;
