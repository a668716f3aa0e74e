-- declared
CREATE TABLE a (id INT) WITH ('connector' = 'faker');
CREATE TABLE b (id INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://db/x', 'table-name' = 't');
CREATE TABLE c (id INT) WITH ('connector' = 'mysql-cdc', 'hostname' = 'db');
CREATE TABLE d (id INT) WITH ('connector.type' = 'elasticsearch', 'connector.hosts' = 'h');
CREATE TABLE e (id INT) WITH ('connector' = 'kafak');
CREATE TABLE f (id INT) WITH ('connector' = 'no-such-thing');
CREATE TABLE g (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'protobuf',
  'protobuf.message-class-name' = 'x.Y');
CREATE TABLE h (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'debezium-avro-confluent');
CREATE TABLE i (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'changelog-json');
CREATE TABLE j (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'canal-jsno');
CREATE TABLE k (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'value.fields-prefix' = 'v_');
