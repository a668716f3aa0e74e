CREATE TABLE src (
  id INT, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'key.format'='json', 'value.format'='json', 'scan.bounded.mode'='latest-offset', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset');
CREATE TABLE snk (
  id INT, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT * FROM src;
