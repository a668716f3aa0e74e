-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector.type' = 'kafka',
  'connector.topic' = 'orders',
  'format.type' = 'json'
);
