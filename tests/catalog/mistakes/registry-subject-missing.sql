-- written
CREATE TABLE t (
  id INT,
  topic STRING METADATA
) WITH (
  'connector' = 'kafka',
  'topic' = 'a;b',
  'properties.bootstrap.servers' = 'broker:9092',
  'format' = 'avro-confluent',
  'avro-confluent.url' = 'http://registry:8081'
);
