CREATE TABLE src (
  id INT, r ROW<a INT, s STRING, n ROW<x DOUBLE, y ARRAY<STRING>>>, a ARRAY<INT>, m MAP<STRING, BIGINT>, am ARRAY<ROW<k STRING, v INT>>, mm MAP<STRING, ROW<p INT>>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, r ROW<a INT, s STRING, n ROW<x DOUBLE, y ARRAY<STRING>>>, a ARRAY<INT>, m MAP<STRING, BIGINT>, am ARRAY<ROW<k STRING, v INT>>, mm MAP<STRING, ROW<p INT>>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT * FROM src;
