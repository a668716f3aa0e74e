-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector.type' = 'kafka',
  'connector.topic' = 'orders',
  'connector.properties.bootstrap.servers' = 'broker:9092',
  'format.type' = 'json',
  'connector.sink.ignore-retraction' = 'true'
);
