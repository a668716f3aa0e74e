-- read
CREATE TABLE t (
  id INT
) WITH (
  'connector.type' = 'kafka',
  'connector.topic' = 'orders',
  'connector.properties.bootstrap.servers' = 'broker:9092',
  'format.type' = 'json',
  'connector.start-mode' = 'earliest-offset'
);
