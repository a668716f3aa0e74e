-- declared
CREATE TABLE t (
  id INT
) WITH (
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'connector' = 'jdbc'
);
