-- declared
CREATE TABLE t (id INT) PARTITIONED BY (id) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json');
