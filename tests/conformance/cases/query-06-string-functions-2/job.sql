CREATE TABLE src (
  s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a STRING, b STRING, c STRING, d STRING, e STRING, f STRING, g STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT MD5(s), REVERSE(s), CONCAT_WS(',', s, CAST(NULL AS STRING), 'z'), SUBSTR(s, -2), REGEXP_REPLACE(s, '[aeiou]', '_'), OVERLAY(s PLACING 'XX' FROM 2 FOR 1), JSON_VALUE(s, '$.a') FROM src;
