-- Rows that stand in the script can be counted, exactly once.
CREATE TABLE snk (
  name STRING, id BIGINT, first_id INT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'raw', 'value.format' = 'json', 'sink.delivery-guarantee' = 'exactly-once'
);
INSERT INTO snk
SELECT name, COUNT(*), FIRST_VALUE(id) FROM (VALUES ('a', 1), ('b', 2), ('a', 5)) AS t(name, id) GROUP BY name;
