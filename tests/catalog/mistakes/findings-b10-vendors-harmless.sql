-- declared
CREATE TABLE t (id INT) DISTRIBUTED INTO 4 BUCKETS WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',
  'changelog.mode' = 'append',
  'properties.connector.auth.open' = 'false',
  'kafka.producer.compression.type' = 'lz4',
  'scan.header-filter' = 'a:b&!c:d'
);
