-- declared
CREATE TABLE t (id INT, v_name STRING) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json',
  'key.format' = 'json', 'key.fields' = 'id', 'value.fields-prefix' = 'v_');
