-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector.type' = 'kafka',
  'connector.properties.bootstrap.servers' = 'broker:9092',
  'format.type' = 'json'
);
