CREATE TABLE src (
  id INT, x INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'key.format'='json', 'key.fields'='id', 'key.fields-prefix'='k_', 'value.format'='json', 'value.fields-include'='EXCEPT_KEY');
CREATE TABLE snk (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id FROM src;
