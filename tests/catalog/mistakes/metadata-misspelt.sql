-- read
CREATE TABLE t (
  id INT,
  x BIGINT METADATA FROM 'ofset' VIRTUAL
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json'
);
