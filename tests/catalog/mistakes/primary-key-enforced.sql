-- declared
CREATE TABLE t (
  id INT,
  PRIMARY KEY (id) ENFORCED
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'debezium-json'
);
