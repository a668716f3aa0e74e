CREATE TABLE src (
  id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'key.format'='json', 'value.format'='json', 'scan.bounded.mode'='latest-offset', 'properties.group.id'='${group:g}');
CREATE TABLE snk (
  id INT, s STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT * FROM src;
