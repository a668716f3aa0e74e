-- DLI's 'retract' under an aggregate: the second run takes back what the first has written.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector.type' = 'kafka', 'connector.properties.bootstrap.servers' = '${bootstrap}', 'connector.topic' = '${topic:snk}',
  'format.type' = 'json', 'update-mode' = 'retract'
);
INSERT INTO snk SELECT name, COUNT(*) FROM src GROUP BY name;
