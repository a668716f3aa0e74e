CREATE TABLE src (
  id INT, s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, m BOOLEAN, c INT, e0 STRING, e STRING, ea ARRAY<STRING>, i INT, ss STRING, r STRING, si BOOLEAN, lk BOOLEAN, bad INT, badx STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  REGEXP(s, '^[a-f]+[0-9]'),
  REGEXP_COUNT(s, '[0-9]+'),
  REGEXP_EXTRACT(s, '([a-z]+)([0-9]*)'),
  REGEXP_EXTRACT(s, '([a-z]+)([0-9]*)', 2),
  REGEXP_EXTRACT_ALL(s, '([a-z]+)([0-9]*)', 1),
  REGEXP_INSTR(s, '[0-9]'),
  REGEXP_SUBSTR(s, '[0-9]+'),
  REGEXP_REPLACE(s, '([a-z])([0-9])', '$2-$1'),
  s SIMILAR TO '(a|b)%[0-9]',
  s LIKE 'a!_%' ESCAPE '!',
  REGEXP_COUNT(s, '('),
  REGEXP_EXTRACT(s, 'a', 5)
FROM src;
