-- Every aggregate over rows of which several are equal: they are combined where they are read.
CREATE TABLE src (
  id INT, name STRING
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'error-handling.mode' = 'ignore'
);
CREATE TABLE snk (
  name STRING, n BIGINT, m BIGINT, s INT, a INT, d BIGINT, lo INT, hi INT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk
SELECT name, COUNT(*), COUNT(id), SUM(id), AVG(id), COUNT(DISTINCT id), MIN(id), MAX(id) FROM src GROUP BY name;
