CREATE TABLE src (
  id INT, name STRING, amt DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, u STRING, cls STRING, x DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id, UPPER(name), CASE WHEN amt >= 100 THEN 'big' WHEN amt >= 10 THEN 'mid' ELSE 'small' END, amt * 2 FROM src WHERE name LIKE 'a%' AND id <> 3;
