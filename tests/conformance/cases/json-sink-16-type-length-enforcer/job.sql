SET 'table.exec.sink.type-length-enforcer'='TRIM_PAD';
CREATE TABLE src (
  id INT, c CHAR(5), v VARCHAR(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, c CHAR(5), v VARCHAR(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id, c, v FROM src;
