CREATE TABLE src (
  a ARRAY<INT>, r ROW<x INT, y STRING>, s ARRAY<STRING>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='csv', 'csv.ignore-parse-errors'='true');
CREATE TABLE snk (
  a ARRAY<INT>, r ROW<x INT, y STRING>, s ARRAY<STRING>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT * FROM src;
