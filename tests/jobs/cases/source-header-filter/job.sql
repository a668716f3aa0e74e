-- A header filter keeps the messages that have one of the values and not the other (finding B10).
CREATE TABLE src (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json', 'scan.header-filter' = 'depart:toy|depart:book&!env:test'
);
CREATE TABLE snk (
  name STRING, id INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'name'
);
INSERT INTO snk SELECT name, id FROM src;
