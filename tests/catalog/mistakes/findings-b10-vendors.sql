-- declared
CREATE TABLE t (id INT) DISTRIBUTED BY HASH (id) INTO 4 BUCKETS WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',
  'scan.check.duplicated.group.id' = 'true',
  'json.infer-schema.primitive-as-string' = 'true',
  'ssl_auth_name' = 'x',
  'dew.endpoint' = 'kms.example.com',
  'properties.connector.auth.open' = 'true',
  'kafka.cleanup-policy' = 'compact',
  'kafka.consumer.isolation-level' = 'read-committed',
  'changelog.mode' = 'retract',
  'late-handling.mode' = 'ignore',
  'scan.header-filter' = '(a:b)'
);
