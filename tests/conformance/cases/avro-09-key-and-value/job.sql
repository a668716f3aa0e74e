CREATE TABLE src (
  k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='avro', 'key.fields'='k', 'value.format'='avro', 'value.fields-include'='EXCEPT_KEY');
INSERT INTO snk SELECT * FROM src;
