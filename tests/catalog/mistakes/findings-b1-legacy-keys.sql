-- declared
CREATE TABLE t (id INT, created TIMESTAMP(3)) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'b:9092',
  'connector.properties.zookeeper.connect' = 'zk:2181',
  'format.type' = 'json',
  'format.derive-schema' = 'true',
  'format.json-schema' = '{"type": "object"}',
  'format.schema' = 'ROW<id INT>',
  'format.fields.0.name' = 'id',
  'format.line-delimiter' = '\n',
  'schema.0.name' = 'id',
  'schema.0.data-type' = 'INT'
);
