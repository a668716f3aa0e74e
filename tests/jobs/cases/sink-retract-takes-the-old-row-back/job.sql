-- DLI's 'retract': the old row is taken back before the new one comes.
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'debezium-json'
);
CREATE TABLE snk (
  name STRING, id INT, PRIMARY KEY (name) NOT ENFORCED
) WITH (
  'connector.type' = 'kafka', 'connector.properties.bootstrap.servers' = '${bootstrap}', 'connector.topic' = '${topic:snk}',
  'format.type' = 'json', 'update-mode' = 'retract'
);
INSERT INTO snk SELECT name, id FROM src;
