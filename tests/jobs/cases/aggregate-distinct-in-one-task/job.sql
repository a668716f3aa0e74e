-- COUNT(DISTINCT) in a single task, with its state in RocksDB: both branches of the rows are in that task.
SET 'parallelism.default' = '1';
SET 'state.backend.type' = 'rocksdb';
CREATE TABLE src (k STRING, v INT) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE TABLE snk (k STRING, n BIGINT, d BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:snk}',
  'key.format' = 'json', 'value.format' = 'json'
);
INSERT INTO snk SELECT k, COUNT(*), COUNT(DISTINCT v) FROM src GROUP BY k;
