CREATE TABLE src (
  id INT, s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, lp STRING, ov STRING, sp ARRAY<STRING>, rp STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  LPAD(s, 4, 'é😀'),
  OVERLAY(s PLACING 'X' FROM 2 FOR 1),
  SPLIT(s, ''),
  RPAD(s, 5, '😀')
FROM src;
