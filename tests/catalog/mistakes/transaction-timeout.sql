-- written
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'properties.transaction.timeout.ms' = '3600000',
  'sink.delivery-guarantee' = 'exactly-once'
);
