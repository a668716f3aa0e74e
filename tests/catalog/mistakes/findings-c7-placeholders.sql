-- written
CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '<yourTopicName>', 'format' = 'json',
  'properties.bootstrap.servers' = 'xx.xx.xx.xx:9092',
  'properties.client.id' = '{{ client }}',
  'properties.ssl.key.password' = '${secret_values.pw}',
  'properties.ssl.keystore.location' = '<keystore path>'
);
