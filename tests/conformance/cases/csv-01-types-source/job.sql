CREATE TABLE src (
  i TINYINT, s SMALLINT, l BIGINT, f FLOAT, d DECIMAL(10,2), b BOOLEAN, dt DATE, t TIME, ts TIMESTAMP(3), z TIMESTAMP_LTZ(3), bn BYTES, st STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='csv');
CREATE TABLE snk (
  i TINYINT, s SMALLINT, l BIGINT, f FLOAT, d DECIMAL(10,2), b BOOLEAN, dt DATE, t TIME, ts TIMESTAMP(3), z TIMESTAMP_LTZ(3), bn BYTES, st STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT * FROM src;
