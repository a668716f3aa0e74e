CREATE TABLE src (
  id INT, x DOUBLE, d DECIMAL(10, 3), n INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, l DOUBLE, l2 DOUBLE, ln_ DOUBLE, sq DOUBLE, tr DOUBLE, tn DECIMAL(10, 3), r DOUBLE, rn DECIMAL(10, 3), sg DOUBLE, m INT, gr INT, le INT, ce DOUBLE, ab DECIMAL(10, 3), atn DOUBLE, p DOUBLE, ex DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  LOG(2, x),
  LOG2(x),
  LN(x),
  SQRT(x),
  TRUNCATE(x, 1),
  TRUNCATE(d, -1),
  ROUND(x, 0),
  ROUND(d, -2),
  SIGN(x),
  MOD(n, 3),
  GREATEST(n, 5, 3),
  LEAST(n, CAST(NULL AS INT), 1),
  CEIL(x),
  ABS(d),
  ATAN2(x, 0),
  POWER(x, 0.5),
  EXP(0)
FROM src;
