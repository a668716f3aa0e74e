-- declared
CREATE TABLE t (
  id INT,
  ts TIMESTAMP(3),
  WATERMARK FOR tss AS tss - INTERVAL '1' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json'
);
