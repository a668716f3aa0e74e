-- declared
CREATE TABLE t (
  id INT,
  o BIGINT METADATA FROM 'offset' VIRTUAL,
  PRIMARY KEY (o) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);
