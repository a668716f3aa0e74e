CREATE TABLE src (
  id INT, name STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='debezium-json');
CREATE TABLE src2 (
  oid INT, id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in2}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  oid INT, name STRING, PRIMARY KEY (oid) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT b.oid, a.name FROM src2 b JOIN src a ON a.id = b.id;
