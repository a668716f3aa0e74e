-- written
CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = '...', 'format' = 'json',
  'properties.bootstrap.servers' = '…'
);
