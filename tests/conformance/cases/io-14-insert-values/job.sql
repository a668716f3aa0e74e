CREATE TABLE snk (
  id INT, s STRING, d DECIMAL(5, 2), t TIMESTAMP(3), b BOOLEAN, a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk VALUES (1, 'one', 1.5, TIMESTAMP '2020-01-01 00:00:01', TRUE, ARRAY[1, 2], MAP['k', 1], ROW(1, 'y')), (2, CAST(NULL AS STRING), CAST(NULL AS DECIMAL(5, 2)), CAST(NULL AS TIMESTAMP(3)), FALSE, ARRAY[3], MAP['j', 2], ROW(2, 'longer'));
