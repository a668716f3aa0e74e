-- written
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'properties.enable.idempotence' = 'false',
  'sink.delivery-guarantee' = 'exactly-once'
);
