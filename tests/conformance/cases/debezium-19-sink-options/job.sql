CREATE TABLE src (
  id INT, d DECIMAL(10,2), s STRING, t TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, d DECIMAL(10,2), s STRING, t TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='debezium-json', 'debezium-json.encode.ignore-null-fields'='true', 'debezium-json.encode.decimal-as-plain-number'='true', 'debezium-json.timestamp-format.standard'='ISO-8601');
INSERT INTO snk SELECT * FROM src;
