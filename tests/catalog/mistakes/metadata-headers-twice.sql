-- written
CREATE TABLE t (
  id INT,
  h MAP<STRING, BYTES> METADATA FROM 'headers',
  l ARRAY<ROW<key STRING, `value` BYTES>> METADATA FROM 'header-list'
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json'
);
