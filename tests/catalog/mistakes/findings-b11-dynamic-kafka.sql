-- declared
CREATE TABLE t (id INT) WITH ('connector' = 'dynamic-kafka', 'stream-pattern' = 'o.*', 'stream-ids' = 'a;b', 'format' = 'json',
  'properties.bootstrap.servers' = 'b:9092', 'metadata-service' = 'org.example.Service',
  'stream-metadata-discovery-interval-ms' = '-1', 'stream-metadata-discovery-failure-threshold' = '3');
