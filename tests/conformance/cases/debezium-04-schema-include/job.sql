CREATE TABLE src (
  id INT, name STRING, weight DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='debezium-json', 'debezium-json.schema-include'='true');
CREATE TABLE snk (
  id INT, name STRING, weight DOUBLE, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT * FROM src;
