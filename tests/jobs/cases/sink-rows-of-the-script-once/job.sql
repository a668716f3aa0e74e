-- Rows that stand in the script are written once, however often the job goes on.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'name'
);
INSERT INTO snk
SELECT name, id FROM (VALUES ('a', 1), ('b', CAST(NULL AS INT)), (UPPER('c'), 3)) AS t(name, id)
UNION ALL SELECT 'one', 1
UNION ALL SELECT name, id FROM src;
