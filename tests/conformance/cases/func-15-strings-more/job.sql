CREATE TABLE src (
  id INT, s STRING, n INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, e1 STRING, e2 STRING, bt STRING, lt STRING, rt STRING, sw BOOLEAN, si STRING, pf STRING, rp STRING, rl STRING, cw STRING, lc INT, ins INT, bn STRING, hx STRING, st MAP<STRING, STRING>, dc STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  ELT(n, 'one', s),
  ELT(n, s),
  BTRIM(s, ' x'),
  LTRIM(s, 'x'),
  RTRIM(s),
  STARTSWITH(s, ''),
  SPLIT_INDEX(s, 'x', n),
  PRINTF('%s|%05d', s, n),
  REPEAT(s, n),
  REPLACE(s, 'x', ''),
  CONCAT_WS('-', s, CAST(NULL AS STRING), CAST(n AS STRING)),
  LOCATE('x', s, n),
  INSTR(s, 'x'),
  BIN(n),
  HEX(n),
  STR_TO_MAP(s, ',', '='),
  DECODE(ENCODE(s, 'UTF-16'), 'UTF-16')
FROM src;
