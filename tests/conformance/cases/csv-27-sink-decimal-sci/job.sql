CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a STRING, dc DECIMAL(10,3), x DECIMAL(10,3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='csv', 'csv.write-bigdecimal-in-scientific-notation'='true', 'csv.field-delimiter'=';');
INSERT INTO snk SELECT 'abc', CAST(100000 AS DECIMAL(10,3)), CAST(1.5 AS DECIMAL(10,3)) FROM src;
