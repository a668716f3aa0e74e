CREATE TABLE src (
  id INT, price DOUBLE, qty INT, total AS price * qty, pt AS UPPER('x')
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE VIEW v AS SELECT id, total, pt FROM src WHERE total > 10;
CREATE TABLE snk (
  id INT, total DOUBLE, pt STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT * FROM v;
