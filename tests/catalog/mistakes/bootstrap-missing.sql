-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.group.id' = 'g',
  'format' = 'json'
);
