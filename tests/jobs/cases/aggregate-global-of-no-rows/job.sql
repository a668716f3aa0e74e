-- An aggregate without GROUP BY writes nothing for no rows, and one row for the two rows of a batch (finding E2, docs/differences.md).
CREATE TABLE src (
  id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE cdc (
  id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:cdc}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE counted (
  k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:counted}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE distincts (
  k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:distincts}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE changed (
  k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:changed}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE found (
  k INT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:found}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO counted SELECT 1, n FROM (SELECT COUNT(*) AS n FROM src WHERE id > 5);
INSERT INTO distincts SELECT 1, n FROM (SELECT COUNT(DISTINCT id) AS n FROM src WHERE id > 5);
INSERT INTO changed SELECT 1, n FROM (SELECT COUNT(*) AS n FROM cdc WHERE id > 5);
INSERT INTO found SELECT 1, n FROM (SELECT COUNT(*) AS n FROM src);
