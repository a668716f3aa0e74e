-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'properties.security.protocol' = 'SSL',
  'properties.ssl.truststore.location' = '/certs/truststore.bcfks',
  'properties.ssl.truststore.type' = 'BCFKS'
);
