-- declared
CREATE TABLE t (
  id INT,
  x INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'key.format' = 'json',
  'key.fields' = 'id',
  'key.fields-prefix' = 'k_',
  'value.fields-include' = 'EXCEPT_KEY'
);
