-- declared
CREATE TABLE t (
  id INT,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector.type' = 'kafka',
  'connector.topic' = 'orders',
  'connector.properties.bootstrap.servers' = 'broker:9092',
  'format.type' = 'json'
);
