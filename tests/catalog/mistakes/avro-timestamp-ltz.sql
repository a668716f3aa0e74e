-- declared
CREATE TABLE t (
  t TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'avro'
);
