CREATE TABLE src (
  ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, b BOOLEAN, s STRING, c CHAR(3), bn BYTES, dc DECIMAL(10,2), dt DATE, tm TIME(3), ts TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='avro');
CREATE TABLE snk (
  ti TINYINT, si SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, b BOOLEAN, s STRING, c CHAR(3), bn BYTES, dc DECIMAL(10,2), dt DATE, tm TIME(3), ts TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT * FROM src;
