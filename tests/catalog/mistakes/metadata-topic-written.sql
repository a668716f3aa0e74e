-- written
CREATE TABLE t (
  id INT,
  x STRING METADATA FROM 'topic'
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json'
);
