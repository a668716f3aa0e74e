-- declared
CREATE TABLE t (id INT) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'b:9092',
  'format.type' = 'avro',
  'format.record-class' = 'com.example.Order',
  'schema.0.from' = 'x',
  'schema.0.proctime' = 'true'
);
