-- The raw key and the raw value as columns, beside the decoded ones (finding B10).
CREATE TABLE src (
  name STRING, k STRING METADATA FROM '__raw_key__' VIRTUAL, v BYTES METADATA FROM 'raw-value' VIRTUAL
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (
  name STRING, k STRING, v BYTES
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'format' = 'json', 'key.format' = 'raw', 'key.fields' = 'name'
);
INSERT INTO snk SELECT name, k, v FROM src;
