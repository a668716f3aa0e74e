CREATE TABLE src (
  id INT, x DOUBLE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, i INT, l BIGINT, t TINYINT, f FLOAT, s STRING, b BOOLEAN
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  CAST(x AS INT),
  CAST(x AS BIGINT),
  CAST(x AS TINYINT),
  CAST(x AS FLOAT),
  CAST(x AS STRING),
  CAST(x AS BOOLEAN)
FROM src;
