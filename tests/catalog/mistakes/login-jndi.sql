-- declared
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'properties.sasl.mechanism' = 'PLAIN',
  'properties.sasl.jaas.config' = 'com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://x";'
);
