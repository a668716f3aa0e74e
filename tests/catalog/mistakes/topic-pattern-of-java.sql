-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'topic-pattern' = 'orders-\p{L}+'
);
