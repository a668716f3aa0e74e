-- read
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders;more-orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'error-handling.mode' = 'log',
  'error-handling.log.target' = 'orders'
);
