CREATE TABLE src (
  k STRING, id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'key.format'='raw', 'key.fields'='k', 'value.format'='json', 'value.fields-include'='EXCEPT_KEY');
CREATE TABLE snk (
  k STRING, id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT * FROM src;
