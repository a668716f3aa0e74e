-- declared
CREATE TABLE t (
  s STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'raw',
  'raw.charset' = 'utf-99'
);
