-- read
CREATE TABLE t (
  id INT,
  x STRING METADATA FROM 'nope' VIRTUAL
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json'
);
